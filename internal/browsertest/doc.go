// Package browsertest opens pages in a headless Chromium and looks at them as a
// person does: it clicks, types, selects, and takes pictures.
//
// It is a module of its own because it needs a WebSocket library and a browser.
// Without Chromium its tests are skipped, which is said loudly; see .ci/run.
//
//	b := browsertest.Start(t)
//	p := b.Open(t, "file:///tmp/page.html")
//	p.Click(t, `button[data-section="0"]`)
//	p.Wait(t, `document.querySelector("#what").textContent.includes("AGENTS.md")`)
//	p.Requests() // addresses that the page asked for, besides its own
package browsertest
