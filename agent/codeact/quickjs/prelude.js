(function (about) {
  "use strict";
  // What the code may replace, kept as it was.
  const { tools, now, seed } = JSON.parse(about);
  const { stringify, parse } = JSON, NativePromise = Promise, NativeDate = Date, NativeError = Error, text = String, G = globalThis;
  const print = G.__out;
  delete G.__out;
  const define = (o, name, value) => Object.defineProperty(o, name, { value, writable: true, configurable: true, enumerable: false });

  // Calls: those that were made and not asked for yet, and those that wait.
  let queue = [], waiting = [], next = 0, done = null;
  const call = (name, args) => new NativePromise((resolve, reject) => {
    let json;
    try {
      json = args === undefined ? "{}" : stringify(args);
      if (json === undefined) throw new TypeError("the arguments of " + text(name) + " are no JSON");
      queue[queue.length] = { name: text(name), args: json, resolve, reject };
    } catch (e) { reject(e); }
  });
  for (let i = 0; tools && i < tools.length; i++) {
    const name = tools[i];
    if (name in G) continue; // a word of the language: callTool calls it
    define(G, name, (args) => call(name, args));
  }
  define(G, "callTool", (name, args) => call(name, args));

  // The console.
  const shown = (v) => {
    try {
      if (typeof v === "string") return v;
      if (v instanceof NativeError) return text(v);
      if (v === undefined || typeof v === "function" || typeof v === "symbol" || typeof v === "bigint") return text(v);
      const s = stringify(v);
      return s === undefined ? text(v) : s;
    } catch (e) { return "[what cannot be shown]"; }
  };
  const log = (...args) => {
    let line = "";
    for (let i = 0; i < args.length; i++) line += (i ? " " : "") + shown(args[i]);
    print(line + "\n");
  };
  define(G, "console", { log, info: log, debug: log, warn: log, error: log });
  define(G, "print", log);

  // Nothing that differs when the code runs again: time, chance, collections.
  const Fixed = new Proxy(NativeDate, {
    construct: (t, args, target) => Reflect.construct(t, args.length ? args : [now], target === Fixed ? t : target),
    apply: () => text(new NativeDate(now)),
  });
  define(NativeDate, "now", () => now);
  define(NativeDate.prototype, "constructor", Fixed);
  define(G, "Date", Fixed);
  let chance = seed >>> 0;
  define(Math, "random", () => {
    chance = (chance + 0x6d2b79f5) >>> 0;
    let t = Math.imul(chance ^ (chance >>> 15), chance | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  });
  for (const name of ["WeakRef", "FinalizationRegistry", "performance"]) delete G[name];

  const said = (e) => {
    try {
      if (e instanceof NativeError) return (e.name || "Error") + ": " + e.message;
      if (e === null) return "thrown: null, as when the memory is used up";
      return "thrown: " + shown(e);
    } catch (_) { return "thrown: what cannot be shown"; }
  };
  const finish = (v) => {
    try {
      if (v === undefined) v = G.__codeact_result;
      const value = stringify(v);
      done = value === undefined ? {} : { value };
    } catch (e) { done = { error: "the result is no JSON: " + said(e) }; }
  };
  const run = (source) => {
    try {
      const main = new (async () => {}).constructor(source);
      main().then(finish, (e) => { done = { error: said(e) || "thrown: nothing" }; });
    } catch (e) { done = { error: said(e) }; }
  };
  const take = () => {
    if (queue.length) {
      waiting = queue; queue = []; next = 0;
      const calls = [];
      for (let i = 0; i < waiting.length; i++) calls[i] = { name: waiting[i].name, args: waiting[i].args };
      return stringify({ calls });
    }
    return stringify({ done: done || { error: "the code waits for something that never comes: a promise that nothing settles" } });
  };
  const give = (json) => {
    const w = waiting[next++], r = parse(json);
    if (r.error === undefined) { w.resolve(r.value); return; }
    if (done) print("[the call of " + w.name + ", for which the code did not wait, failed: " + r.error + "]\n");
    w.reject(new NativeError(r.error));
  };
  return (what, s) => what === "run" ? run(s) : what === "take" ? take() : give(s);
})
