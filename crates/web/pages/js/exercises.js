// The exercises: handout, files, verdict, hints. Work is kept in the browser; behind `cargo lab
// serve` it is the student's own folder.

import { byId, el, fill, grouped, later } from "./dom.js";
import { Editor } from "./editor.js";
import { newEngine, served, serverRoot } from "./engine.js";
import { Folder, canKeep } from "./folder.js";
import { markdown } from "./markdown.js";
import { METRICS, faultMarks, messages } from "./results.js";
import { store } from "./store.js";
import { Work } from "./work.js";
import { unzip, zip } from "./zip.js";

/** What checks and what compiles while one types; a lab has engines of its own. */
let engine = null;
let compiler = null;

/** The labs as `course/index.json` has them; a lab's files come when one of its exercises opens. */
let labs = [];
const loaded = new Map();

let lab = null;
let exercise = null;
let file = null;
let hintsShown = 0;

const editor = new Editor(byId("code"), { label: "File", change: changed, run: check });

// ---- where work is kept

const work = new Work((why) => {
  offerFolder(null);
  tell(`The folder cannot be used (${why}): your work is in this browser`, "bad");
});

const textOf = (path) => work.text(lab, path);

const saveSoon = later(400, async () => {
  if (!served || !file) return;
  const body = JSON.stringify({ lab: lab.id, path: file, text: editor.value });
  const response = await fetch(`${serverRoot}save`, { method: "POST", body }).catch(() => null);
  if (response?.ok) {
    lab.files[file] = editor.value;
    tell("Saved. Checking …", "");
    check();
  } else {
    tell(response ? await response.text() : "not saved: the server does not answer", "bad");
  }
});

function keep() {
  if (served) return saveSoon();
  if (!work.put(lab, file, editor.value))
    tell("This browser does not keep your work: take it along as a zip", "bad");
}

const compileSoon = later(200, compile);

function changed() {
  keep();
  compileSoon();
}

// ---- the list

function numberOf(e) {
  return e.id.split("-")[1];
}

function showList() {
  const done = store.get("done") ?? {};
  byId("list").replaceChildren(
    ...labs.flatMap((l) => [
      el("h2", {}, l.title),
      el(
        "ol",
        {},
        l.exercises.map((e) => {
          const state = done[e.id];
          const [sign, words] =
            state === "done" ? ["✓", "done"] : state ? ["…", "begun"] : ["", "not begun"];
          return el(
            "li",
            {},
            el(
              "a",
              { href: `#${e.key}`, "aria-current": exercise?.id === e.id ? "page" : null },
              el("span", { class: "good", role: "img", "aria-label": words }, sign),
              `${numberOf(e)} ${e.title}`,
              el("span", { class: "soft" }, String(e.points)),
            ),
          );
        }),
      ),
    ]),
  );
  // The open one is in sight, wherever the list has its edge.
  const list = byId("list");
  const here = list.querySelector("[aria-current]");
  if (!here) return;
  const [inner, outer] = [here, list].map((node) => node.getBoundingClientRect());
  list.scrollTop += inner.top - outer.top - (list.clientHeight - inner.height) / 2;
}

async function load(id) {
  if (!loaded.has(id)) {
    const response = await fetch(served ? `${serverRoot}course/${id}.json` : `course/${id}.json`, {
      cache: "no-cache",
    });
    if (!response.ok) throw new Error(`${id}: ${response.status} ${response.statusText}`);
    loaded.set(id, await response.json());
  }
  return loaded.get(id);
}

async function open(wanted) {
  plain.clear();
  const of = labs.find((l) => l.exercises.some((e) => e.key === wanted)) ?? labs[0];
  const before = lab;
  lab = await load(of.id);
  if (lab !== before) {
    for (const old of [engine, compiler]) old?.stop();
    [engine, compiler] = [newEngine(lab.id), newEngine(lab.id)];
    await work.meet(lab);
  }
  exercise = lab.exercises.find((e) => e.key === wanted) ?? lab.exercises[0];
  hintsShown = 0;
  byId("hints").replaceChildren();
  byId("verdict").replaceChildren(el("p", { class: "soft" }, "Nothing has been checked yet."));
  byId("handout").replaceChildren(...markdown(exercise.handout, lab.pictures));
  byId("handout").scrollTop = 0;
  const kernels = exercise.files.filter((path) => /\.(cu|cuh|cl)$/.test(path));
  openFile(kernels[0] ?? exercise.files[0]);
  showList();
  document.title = `${numberOf(exercise)} ${exercise.title}`;
  document.documentElement.dataset.open = exercise.key;
}

function openFile(path) {
  file = path;
  const tabs = exercise.files.map((other) =>
    el(
      "button",
      {
        role: "tab",
        type: "button",
        "aria-selected": String(other === path),
        "aria-controls": "code",
        tabIndex: other === path ? 0 : -1,
        onclick: () => openFile(other),
        onkeydown: (event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (!step) return;
          event.preventDefault();
          const all = exercise.files;
          openFile(all[(all.indexOf(other) + step + all.length) % all.length]);
          byId("files").querySelector("[aria-selected=true]").focus();
        },
      },
      other,
    ),
  );
  byId("files").replaceChildren(...tabs);
  editor.open(path, textOf(path));
  tell(
    path.endsWith(".rs") && !served ? "Host code: it is checked in the course's folder" : "",
    "",
  );
  compile();
}

// ---- checking

/** Whether the compiler takes a file's skeleton: others need macros that only a check defines. */
const plain = new Map();

async function compile() {
  byId("problems").replaceChildren();
  const path = file;
  if (!/\.(cu|cuh|cl)$/.test(path)) return;
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const name = path.slice(folder.length);
  const others = Object.keys(lab.files).filter(
    (other) => other.startsWith(folder) && other !== path,
  );
  const files = others.map((other) => [other.slice(folder.length), textOf(other)]);
  const ask = (text) =>
    compiler.ask({ op: "check", program: { file: name, text, files } }).catch(() => null);
  if (!plain.has(path)) plain.set(path, Boolean((await ask(lab.skeletons[path] ?? ""))?.kernels));
  const text = editor.value;
  const said = plain.get(path) ? await ask(text) : null;
  if (!said || path !== file || text !== editor.value) return;
  const own = said.diagnostics.filter((d) => d.at.file === name);
  editor.mark(own.map((d) => ({ ...d.at, kind: d.severity, text: d.message })));
  if (own.length)
    byId("problems").replaceChildren(messages(own, (line, col) => editor.goTo(line, col)));
}

/** The seed of the inputs: one for all tries, so that what they count can be compared. */
function seed() {
  const asked = Number(new URLSearchParams(location.search).get("seed"));
  if (asked) return asked;
  if (!store.get("seed")) store.set("seed", 1 + Math.floor(Math.random() * 999_999_999));
  return store.get("seed") ?? 1;
}

async function check() {
  // Not `disabled`: that would take the keyboard's focus away.
  byId("check").setAttribute("aria-disabled", "true");
  tell("Checking …", "");
  const asked = exercise;
  const number = seed();
  try {
    const answer = await engine.ask(gradeRequest(number));
    if (answer.error) throw new Error(answer.error);
    if (asked === exercise) showVerdict(answer, number);
  } catch (error) {
    if (asked === exercise) tell(String(error.message ?? error), "bad");
  }
  byId("check").removeAttribute("aria-disabled");
  document.documentElement.dataset.graded = String(
    Number(document.documentElement.dataset.graded ?? 0) + 1,
  );
}

function gradeRequest(number) {
  const request = { op: "grade", lab: lab.id, exercise: numberOf(exercise), seed: number };
  if (served) return { ...request, files: [] };
  const files = Object.keys(lab.files).map((path) => [`${lab.package}/${path}`, textOf(path)]);
  const skeletons = Object.entries(lab.skeletons).map(([path, text]) => [
    `${lab.package}/.skeleton/${path}`,
    text,
  ]);
  return { ...request, files: [...files, ...skeletons] };
}

function showVerdict(answer, number) {
  const result = answer.result.exercises[0];
  const checks = result.checks;
  const passed = checks.filter((c) => c.pass).length;
  const here = checks.length - answer.elsewhere;
  const all = passed === checks.length;
  remember(result, passed >= here && !result.not_started);
  tell(
    result.not_started ? "Not begun" : `${passed} of ${checks.length} checks passed`,
    result.not_started ? "note" : passed >= here ? "good" : "bad",
  );
  fill(
    byId("verdict"),
    el("h2", {}, all ? "Done: " : "", `${result.earned} of ${result.points} points`),
    result.not_started && el("p", {}, result.todo),
    !result.not_started &&
      el(
        "ul",
        { class: "checks" },
        checks.map((c) => verdictOf(c, answer.pictures[c.name] ?? [], result.id)),
      ),
    answer.elsewhere > 0 &&
      !result.not_started &&
      el(
        "p",
        { class: "soft" },
        passed >= here
          ? "All that can be checked here is passed. In the course's folder, "
          : "Checks of host code run in the course's folder: ",
        el("code", {}, `cargo lab run ${numberOf(exercise)}`),
      ),
    sinceLastTry(result.id, answer.counts, number),
    el(
      "details",
      {},
      el("summary", {}, "As the command line says it"),
      el("pre", { tabindex: "0" }, answer.all),
    ),
    el(
      "details",
      {},
      el("summary", {}, "For programs (JSON)"),
      el("pre", { id: "json", tabindex: "0" }, answer.json),
    ),
  );
  // The first fault of a kernel that is open here is marked in it.
  const name = file.split("/").pop();
  const fault = checks.map((c) => c.fail?.fault).find((f) => f?.site?.at.file === name);
  if (fault) {
    const { marks, notes } = faultMarks(fault);
    editor.mark(marks);
    editor.annotate(notes);
  }
}

/** Words that lead to a place of the handbook's page of verdicts, if there is a handbook. */
function explained(words, place) {
  const book = document.querySelector('nav a[href="handbook/index.html"]');
  return book ? el("a", { href: `handbook/verdicts.html#${place}` }, words) : words;
}

/** Places of that page whose names are not the verdict's word; see `Class::page` in `grading`. */
const PLACES = { elsewhere: "not-here", "grader-fault": "graders-fault" };

function verdictOf(c, pictures, id) {
  const drawn = pictures.map((p) => el("img", { src: p.source, alt: p.words }));
  if (c.pass) {
    return el(
      "li",
      {},
      el("span", { class: "say good" }, "✓ ok"),
      el("b", {}, c.name),
      ` ${c.what}`,
      (c.pass.lines ?? []).map((line) => el("p", { class: "soft" }, line)),
      drawn,
    );
  }
  const { class: kind, message, details } = c.fail;
  if (kind === "elsewhere") {
    return el(
      "li",
      {},
      el("span", { class: "say note" }, "→ ", explained("not here", PLACES[kind])),
      el("b", {}, c.name),
      ` ${c.what}`,
      el("p", { class: "soft" }, message),
    );
  }
  return el(
    "li",
    {},
    el("span", { class: "say bad" }, "✗ ", explained("not passed", PLACES[kind] ?? kind)),
    el("b", {}, c.name),
    ` ${c.what}`,
    el("p", {}, kind === "wrong" ? "" : `${kind.replaceAll("-", " ")}: `, message),
    details && el("pre", { tabindex: "0" }, details),
    drawn,
    c.hint && el("p", { class: "hint" }, explained("Hint", id), ": ", c.hint),
  );
}

function remember(result, done) {
  const all = store.get("done") ?? {};
  if (result.not_started) delete all[result.id];
  else all[result.id] = done ? "done" : "begun";
  store.set("done", all);
  showList();
}

/** What the kernels count in another way than at the last try; both had the same inputs. */
function sinceLastTry(id, counts, number) {
  const tries = store.get("tries") ?? {};
  const before = tries[id];
  const now = Object.fromEntries(
    Object.entries(counts).map(([kernel, c]) => [kernel, METRICS.map((m) => m.of(c))]),
  );
  store.set("tries", { ...tries, [id]: { seed: number, kernels: now } });
  const kernels = Object.keys(now);
  if (before?.seed !== number || kernels.length === 0) return null;
  const rows = kernels.flatMap((kernel) =>
    METRICS.map((metric, k) => [kernel, metric.name, before.kernels[kernel]?.[k], now[kernel][k]]),
  );
  const changed = rows.filter(([, , old, count]) => old !== count);
  const cell = (count) => el("td", {}, count === undefined ? "–" : grouped(count));
  return el(
    "section",
    { id: "since", "aria-label": "Since the last try" },
    el("h3", {}, "Since the last try"),
    changed.length === 0
      ? el("p", { class: "soft" }, "The kernels count what they counted before.")
      : el(
          "div",
          { class: "scroll", tabIndex: 0, role: "group", "aria-label": "Counts, before and now" },
          el(
            "table",
            { class: "plain" },
            el(
              "thead",
              {},
              el(
                "tr",
                {},
                ["kernel, all its launches", "before", "now"].map((name) =>
                  el("th", { scope: "col" }, name),
                ),
              ),
            ),
            el(
              "tbody",
              {},
              changed.map(([kernel, name, old, count]) =>
                el(
                  "tr",
                  {},
                  el("th", { scope: "row" }, `${kernel}: ${name}`),
                  cell(old),
                  cell(count),
                ),
              ),
            ),
          ),
        ),
  );
}

function hint() {
  if (hintsShown < exercise.hints.length) {
    byId("hints").append(el("p", { class: "hint" }, exercise.hints[hintsShown]));
    hintsShown += 1;
  }
  const left = exercise.hints.length - hintsShown;
  tell(left ? `${left} more ${left === 1 ? "hint" : "hints"}` : "That was the last hint", "");
}

function reset() {
  if (!confirm(`Put the skeleton of ${file} back? What you wrote in it is lost.`)) return;
  editor.open(file, lab.skeletons[file] ?? "");
  changed();
}

// ---- taking work along

async function takeAlong() {
  const taken = labs.filter((l) => work.begun(l) || l.id === lab.id);
  const files = work.all(await Promise.all(taken.map((l) => load(l.id))));
  const link = el("a", { href: URL.createObjectURL(zip(files)), download: "work.zip" });
  link.click();
  URL.revokeObjectURL(link.href);
  tell(`work.zip: ${files.length} files`, "good");
}

async function bringBack(event) {
  const [chosen] = event.target.files;
  event.target.value = "";
  if (!chosen) return;
  try {
    let taken = 0;
    for (const [path, text] of await unzip(await chosen.arrayBuffer())) {
      const of = labs.find((l) => path.includes(`${l.package}/`));
      if (!of) continue;
      const rel = path.slice(path.indexOf(`${of.package}/`) + of.package.length + 1);
      const given = await load(of.id);
      if (!(rel in given.skeletons)) continue;
      work.put(given, rel, text);
      taken += 1;
    }
    openFile(file);
    tell(
      taken ? `${taken} files taken` : "There is no file of an exercise in it",
      taken ? "good" : "bad",
    );
  } catch (error) {
    tell(String(error.message ?? error), "bad");
  }
}

// ---- a folder, too

/** The folder of the last visit, until the visitor has said whether to go on in it. */
let lastFolder = null;

/** Shows what the button does. */
function offerFolder(last) {
  lastFolder = last;
  byId("folder").hidden = !canKeep || served || work.folder !== null;
  byId("folder").textContent = last
    ? `Go on in the folder ${last.name}`
    : "Keep it in a folder, too";
}

async function startFolder() {
  if (!canKeep || served) return;
  const last = await Folder.before();
  if (last && (await last.allowed(false))) await keepIn(last);
  else offerFolder(last);
}

async function useFolder() {
  try {
    const wanted = lastFolder ?? (await Folder.choose());
    if (await wanted.allowed(true)) await keepIn(wanted);
    else offerFolder(null);
  } catch (error) {
    // Or none was chosen.
    if (error.name !== "AbortError") tell(String(error.message ?? error), "bad");
  }
}

async function keepIn(folder) {
  await work.keepIn(folder, lab);
  if (!work.folder) return;
  openFile(file);
  offerFolder(null);
  tell(`Your work is in the folder ${folder.name}, too`, "good");
}

/** What another program has written into the folder is shown. */
async function reread() {
  const changed = await work.reread(lab, exercise.files);
  if (changed.includes(file)) openFile(file);
}

function tell(text, kind) {
  byId("status").textContent = text;
  byId("status").className = kind;
}

async function start() {
  byId("check").addEventListener("click", () => {
    if (!byId("check").hasAttribute("aria-disabled")) check();
  });
  byId("hint").addEventListener("click", hint);
  byId("reset").addEventListener("click", reset);
  byId("export").addEventListener("click", takeAlong);
  byId("import").addEventListener("change", bringBack);
  byId("folder").addEventListener("click", useFolder);
  if (served) {
    for (const id of ["export", "import"]) byId(id).closest(".row").hidden = true;
    byId("keeping").textContent =
      "What you write is saved to the course's folder, and checked at each save.";
  }
  try {
    const response = await fetch(served ? `${serverRoot}course/index.json` : "course/index.json", {
      cache: "no-cache",
    });
    if (!response.ok)
      throw new Error(`course/index.json: ${response.status} ${response.statusText}`);
    labs = await response.json();
    await open(location.hash.slice(1));
    await startFolder();
  } catch (error) {
    tell(String(error.message ?? error), "bad");
  }
  addEventListener("hashchange", async () => {
    await open(location.hash.slice(1));
    // The link that was followed is drawn anew: the keyboard goes on in what it has opened.
    byId("handout").focus({ preventScroll: true });
  });
  if (served) setInterval(follow, 1000);
  else addEventListener("focus", reread);
}

/** Takes over what another editor has saved to the folder, and checks it. */
async function follow() {
  if (document.hidden || !exercise) return;
  const of = exercise;
  const now = await engine
    .ask({ op: "files", lab: lab.id, exercise: numberOf(of) })
    .catch(() => null);
  if (!now || of !== exercise) return;
  const changed = Object.keys(now).filter((path) => now[path] !== lab.files[path]);
  for (const path of changed) lab.files[path] = now[path];
  if (changed.includes(file) && editor.value !== now[file]) editor.open(file, now[file]);
  if (changed.length) check();
}

start();
