"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const what = document.getElementById("what");
  const el = (name, text, cls) => {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (cls) e.className = cls;
    return e;
  };
  const bytes = new TextEncoder();
  const pres = [...document.querySelectorAll("pre[data-t]")];
  const spansOf = pres.map((p) => [...p.children]);
  let lit = [];

  // light marks the pieces that are talked about.
  const light = (spans) => {
    for (const s of lit) s.classList.remove("on");
    lit = spans;
    for (const s of lit) s.classList.add("on");
  };

  const list = (rows) => {
    const dl = el("dl");
    for (const [word, text] of rows) {
      dl.append(el("dt", word), el("dd", text));
    }
    return dl;
  };

  // sectionAt returns the section or tool around a byte of a text.
  const sectionAt = (t, at) => [...data.sections, ...data.tools].find((s) => s.text === t && s.start <= at && at < s.end);

  // rangeRows says where a piece came from; lo and hi are bytes of the text.
  const rangeRows = (r, lo, hi) => {
    const rows = [["from", r.o]];
    if (r.f >= 0 && r.k !== "config") {
      const whole = r.t - r.f === r.e - r.s;
      rows.push(["bytes", whole ? `${r.f + lo - r.s}–${r.t - (r.e - hi)}` : `${r.f}–${r.t}`]);
    }
    if (r.x) rows.push(["state", "as it stands there"]);
    if (r.g) rows.push(["written by", r.g]);
    rows.push(["trust", r.u]);
    if (r.c) rows.push(["scope", r.c]);
    return rows;
  };

  // show fills the panel for a range of a text: first where its pieces came from,
  // then what is said of their section; of a whole section the other way round.
  const maxPieces = 40;
  const show = (t, lo, hi, whole) => {
    const text = data.texts[t];
    const hit = [];
    text.ranges.forEach((r, i) => {
      if (r.e > lo && r.s < hi) hit.push(i);
    });
    const from = hit.slice(0, maxPieces).map((i) => {
      const r = text.ranges[i];
      return list(rangeRows(r, Math.max(lo, r.s), Math.min(hi, r.e)));
    });
    if (hit.length > maxPieces) from.push(el("p", `and ${hit.length - maxPieces} more pieces`));
    const section = sectionAt(t, lo);
    const about = section ? [el("h3", section.name), list(section.rows)] : [];
    const title = el("h3", `${text.name}, bytes ${lo}–${hi}`);
    what.replaceChildren(title, ...(whole ? [...about, el("h3", "Pieces"), ...from] : [...from, ...about]));
    light(hit.map((i) => spansOf[t][i]));
    return hit;
  };

  // byteAt returns the byte of a text at which a place of the document lies, or -1.
  const byteAt = (t, node, offset) => {
    const pre = pres[t];
    if (node === pre) {
      const next = spansOf[t][offset];
      const ranges = data.texts[t].ranges;
      return next ? ranges[offset].s : ranges.length ? ranges[ranges.length - 1].e : 0;
    }
    const span = (node.nodeType === 1 ? node : node.parentElement).closest(".r");
    if (!span) return -1;
    let at = data.texts[t].ranges[Number(span.dataset.i)].s;
    for (const child of span.childNodes) {
      if (child === node || child.contains(node)) {
        if (child.dataset) return at + (offset > 0 ? Number(child.dataset.n) : 0);
        return at + bytes.encode(child.data.slice(0, offset)).length;
      }
      if (node === span && offset-- === 0) return at;
      at += child.dataset ? Number(child.dataset.n) : bytes.encode(child.data).length;
    }
    return at;
  };

  document.addEventListener("selectionchange", () => {
    const s = document.getSelection();
    if (!s || s.isCollapsed) return;
    const range = s.getRangeAt(0);
    const pre = (n) => (n.nodeType === 1 ? n : n.parentElement).closest("pre[data-t]");
    const a = pre(range.startContainer), b = pre(range.endContainer);
    const p = a || b;
    if (!p) return;
    const t = Number(p.dataset.t);
    const ranges = data.texts[t].ranges;
    const lo = a === p ? byteAt(t, range.startContainer, range.startOffset) : 0;
    const hi = b === p ? byteAt(t, range.endContainer, range.endOffset) : ranges.length ? ranges[ranges.length - 1].e : 0;
    if (lo >= 0 && hi > lo) show(t, lo, hi);
  });

  // choose shows a section and scrolls to it.
  const choose = (button, s) => {
    for (const b of document.querySelectorAll("button[aria-pressed]")) b.removeAttribute("aria-pressed");
    button.setAttribute("aria-pressed", "true");
    document.getSelection().removeAllRanges();
    const hit = show(s.text, s.start, s.end, true);
    if (hit.length) spansOf[s.text][hit[0]].scrollIntoView({ block: "center" });
  };
  for (const b of document.querySelectorAll("button[data-section]")) {
    b.addEventListener("click", () => choose(b, data.sections[Number(b.dataset.section)]));
  }
  for (const b of document.querySelectorAll("button[data-tool]")) {
    b.addEventListener("click", () => choose(b, data.tools[Number(b.dataset.tool)]));
  }

  // The arrow keys go from piece to piece of the text that has the focus.
  pres.forEach((pre, t) => {
    let at = -1;
    pre.addEventListener("click", (e) => {
      const span = e.target.closest(".r");
      if (!span || !document.getSelection().isCollapsed) return;
      at = Number(span.dataset.i);
      const r = data.texts[t].ranges[at];
      show(t, r.s, r.e);
    });
    pre.addEventListener("keydown", (e) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
      const ranges = data.texts[t].ranges;
      if (!step || e.shiftKey || e.ctrlKey || e.altKey || e.metaKey || !ranges.length) return;
      e.preventDefault();
      at = Math.min(Math.max(at + step, 0), ranges.length - 1);
      show(t, ranges[at].s, ranges[at].e);
      spansOf[t][at].scrollIntoView({ block: "nearest" });
    });
  });

  // Find shows the next place of a text at each Enter.
  const find = document.getElementById("find"), found = document.getElementById("found");
  let hits = [], next = 0;
  const search = () => {
    hits = [];
    next = 0;
    const q = find.value;
    if (q) {
      pres.forEach((pre, t) => {
        const s = pre.textContent;
        for (let i = s.indexOf(q); i >= 0 && hits.length < 1000; i = s.indexOf(q, i + q.length)) hits.push([t, i, i + q.length]);
      });
    }
    found.textContent = q ? `${hits.length} ${hits.length === 1 ? "place" : "places"}${hits.length ? "; Enter shows the next" : ""}` : "";
  };
  // select selects characters of a text, which shows their origin.
  const select = (t, lo, hi) => {
    const walk = document.createTreeWalker(pres[t], NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let at = 0;
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
      const end = at + n.data.length;
      if (lo >= at && lo < end) range.setStart(n, lo - at);
      if (hi > at && hi <= end) {
        range.setEnd(n, hi - at);
        break;
      }
      at = end;
    }
    const s = document.getSelection();
    s.removeAllRanges();
    s.addRange(range);
    range.startContainer.parentElement.scrollIntoView({ block: "center" });
  };
  find.addEventListener("input", search);
  find.addEventListener("keydown", (e) => {
    if (e.key !== "Enter" || !hits.length) return;
    select(...hits[next]);
    found.textContent = `${next + 1} of ${hits.length}`;
    next = (next + 1) % hits.length;
  });

  // Differences, line by line.
  const from = document.getElementById("from"), to = document.getElementById("to"), diff = document.getElementById("diff");
  data.views.forEach((v, i) => {
    for (const s of [from, to]) s.append(new Option(v.label, String(i)));
  });
  const maxCells = 4e6;
  const lines = (a, b) => {
    let lo = 0, ea = a.length, eb = b.length;
    while (lo < ea && lo < eb && a[lo] === b[lo]) lo++;
    while (ea > lo && eb > lo && a[ea - 1] === b[eb - 1]) ea--, eb--;
    const x = a.slice(lo, ea), y = b.slice(lo, eb);
    const out = [];
    const keep = (part) => part.forEach((l) => out.push([" ", l]));
    keep(a.slice(0, lo));
    if (x.length * y.length > maxCells) {
      x.forEach((l) => out.push(["-", l]));
      y.forEach((l) => out.push(["+", l]));
    } else {
      const w = y.length + 1, len = new Uint32Array((x.length + 1) * w);
      for (let i = x.length - 1; i >= 0; i--) {
        for (let j = y.length - 1; j >= 0; j--) {
          len[i * w + j] = x[i] === y[j] ? len[(i + 1) * w + j + 1] + 1 : Math.max(len[(i + 1) * w + j], len[i * w + j + 1]);
        }
      }
      let i = 0, j = 0;
      while (i < x.length || j < y.length) {
        if (i < x.length && j < y.length && x[i] === y[j]) out.push([" ", x[i++]]), j++;
        else if (i < x.length && (j === y.length || len[(i + 1) * w + j] >= len[i * w + j + 1])) out.push(["-", x[i++]]);
        else out.push(["+", y[j++]]);
      }
    }
    keep(a.slice(ea));
    return out;
  };
  const around = 2;
  const print = (ls) => {
    const near = ls.map((_, i) => ls.slice(Math.max(0, i - around), i + around + 1).some(([k]) => k !== " "));
    let gap = false;
    ls.forEach(([k, l], i) => {
      if (!near[i]) {
        if (!gap) diff.append(el("span", "⋮", "gap"));
        gap = true;
        return;
      }
      gap = false;
      diff.append(k === " " ? el("span", `  ${l}\n`) : el("span", `${k} ${l}`, k === "+" ? "add" : "del"));
    });
  };
  const compare = () => {
    const a = data.views[Number(from.value)], b = data.views[Number(to.value)];
    document.getElementById("doc").textContent = b ? b.doc : "";
    diff.replaceChildren();
    if (!a || !b) return;
    const left = new Map(a.items.map((x) => [x.name, x.body])), right = new Map(b.items.map((x) => [x.name, x.body]));
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      const l = left.get(name), r = right.get(name);
      if (l === r) continue;
      diff.append(el("h3", `${name}${l === undefined ? " (added)" : r === undefined ? " (removed)" : ""}`));
      const split = (i) => (i === undefined ? [] : data.bodies[i].split("\n"));
      print(lines(split(l), split(r)));
    }
    if (!diff.childNodes.length) diff.append(el("span", "no difference", "gap"));
  };
  from.addEventListener("change", compare);
  to.addEventListener("change", compare);
  if (data.views.length > 1) {
    from.value = "0";
    to.value = String(data.views.length - 1);
  }
  compare();
})();
