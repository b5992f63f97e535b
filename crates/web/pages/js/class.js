// A class's results: marks, the checks that fail most, the hints that findings give. Names and
// messages are students' texts: they are shown, never read as HTML.

import { byId, el, fill } from "./dom.js";
import { serverRoot } from "./engine.js";

const WORDS = { done: "✓", begun: "…", "not started": "–" };

/** A table; its columns are `[name, class]`, text unless the class is `n`: numbers. */
function table(columns, rows) {
  const head = columns.map(([name, kind, title]) =>
    el("th", { scope: "col", class: kind, title }, name),
  );
  const row = ([first, ...cells]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, first),
      cells.map((cell, k) =>
        cell instanceof Node ? cell : el("td", { class: columns[k + 1][1] }, cell),
      ),
    );
  return el(
    "table",
    { class: "plain class" },
    el("thead", {}, el("tr", {}, head)),
    el("tbody", {}, rows.map(row)),
  );
}

function show({ students, exercises, failing, hints, notes }) {
  byId("about").textContent =
    `${students.length} ${students.length === 1 ? "student" : "students"}; ` +
    "✓ done, … begun, – not started. Reload for new results.";
  const cell = (mark) =>
    mark
      ? el("td", { class: "n", title: mark.state }, `${WORDS[mark.state]} ${mark.earned}`)
      : el("td", { class: "n", title: "not handed in" }, "");
  const done = (e) => students.filter((s) => s.marks[e.id]?.state === "done").length;
  fill(
    byId("marks"),
    table(
      [
        ["student"],
        ["sum", "n"],
        ["handed in", "n", "how often"],
        ...exercises.map((e) => [
          `${e.id.split("-")[1] ?? e.id} (${e.points})`,
          "n",
          `${e.title}: ${e.points} points`,
        ]),
      ],
      [
        ...students.map((s) => [
          s.name,
          `${s.earned} of ${s.points}`,
          String(s.submissions),
          ...exercises.map((e) => cell(s.marks[e.id])),
        ]),
        [`done, of ${students.length}`, "", "", ...exercises.map((e) => String(done(e)))],
      ],
    ),
  );
  fill(
    byId("failing"),
    failing.length === 0
      ? el("p", {}, "No check fails.")
      : table(
          [["check"], ["fails", "n"], ["of begun", "n"], ["what it looks at"]],
          failing.map((c) => [
            `${c.exercise} ${c.check}`,
            String(c.failed),
            String(c.begun),
            c.what,
          ]),
        ),
  );
  fill(
    byId("hints"),
    hints.length === 0
      ? el("p", {}, "No finding has a hint.")
      : table(
          [["exercise"], ["times", "n"], ["hint"]],
          hints.map((h) => [h.exercise, String(h.times), h.hint]),
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
