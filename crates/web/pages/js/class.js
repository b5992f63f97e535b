// A class's results: marks, the checks that fail most, the hints that findings give. Names and
// messages are students' texts: they are shown, never read as HTML.

import { byId, el, fill } from "./dom.js";
import { serverRoot } from "./engine.js";

const WORDS = { done: "✓", begun: "…", "not started": "–" };

function table(head, rows) {
  return el(
    "table",
    { class: "plain" },
    el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, rows),
  );
}

function show({ students, exercises, failing, hints, notes }) {
  byId("about").textContent =
    `${students.length} ${students.length === 1 ? "student" : "students"}; ` +
    "✓ done, … begun, – not started. Reload for new results.";
  const cell = (mark) =>
    mark
      ? el("td", { title: mark.state }, `${WORDS[mark.state]} ${mark.earned}`)
      : el("td", { title: "not handed in" }, "");
  fill(
    byId("marks"),
    table(
      ["student", "sum", "submissions", ...exercises.map((e) => e.id.split("-")[1] ?? e.id)],
      students.map((s) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, s.name),
          el("td", {}, `${s.earned} of ${s.points}`),
          el("td", {}, String(s.submissions)),
          exercises.map((e) => cell(s.marks[e.id])),
        ),
      ),
    ),
  );
  fill(
    byId("failing"),
    failing.length === 0
      ? el("p", {}, "No check fails.")
      : table(
          ["check", "fails", "of begun", "what it looks at"],
          failing.map((c) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, `${c.exercise} ${c.check}`),
              el("td", {}, String(c.failed)),
              el("td", {}, String(c.begun)),
              el("td", {}, c.what),
            ),
          ),
        ),
  );
  fill(
    byId("hints"),
    hints.length === 0
      ? el("p", {}, "No finding has a hint.")
      : table(
          ["exercise", "times", "hint"],
          hints.map((h) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, h.exercise),
              el("td", {}, String(h.times)),
              el("td", {}, h.hint),
            ),
          ),
        ),
  );
  fill(
    byId("notes"),
    notes.map((note) => el("li", { class: "warning" }, note)),
  );
  document.documentElement.dataset.students = String(students.length);
}

async function start() {
  try {
    const response = await fetch(`${serverRoot}class.json`);
    if (!response.ok) throw new Error(await response.text());
    show(await response.json());
  } catch (error) {
    byId("about").textContent = String(error.message ?? error);
    byId("about").className = "bad";
  }
}

start();
