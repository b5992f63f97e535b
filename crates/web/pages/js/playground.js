// The playground: write a kernel, launch it, see what it does.

import { byId, el, grouped, later, tabs } from "./dom.js";
import { Editor } from "./editor.js";
import { newEngine } from "./engine.js";
import { EXAMPLES } from "./examples.js";
import { pack, unpack } from "./link.js";
import {
  METRICS,
  bufferView,
  faultMarks,
  faultView,
  heat,
  messages,
  occupancyView,
  requestView,
} from "./results.js";
import { store } from "./store.js";
import { WarpView } from "./warp.js";

const KEPT = "playground";
const checker = newEngine();
const runner = newEngine();

/** The program that is shown: see `EXAMPLES` for its fields. */
let program = null;
let kernels = [];
let answer = null;

const editor = new Editor(byId("code"), { label: "Program", change: changed, run });
const show = tabs(byId("views"));
const warp = new WarpView(byId("warp"), {
  request: () => ({ program: source(), launch: launch(), gpu: byId("gpu").value }),
  stopped: (line, sign) => {
    editor.annotate(
      line ? new Map([[line, { sign, title: "the warp stands here" }]]) : heatNotes(),
    );
    if (line) editor.reveal(line);
  },
});

function source() {
  return { file: program.file, text: editor.value };
}

/** The launch as the engine takes it; throws a sentence if a number is none. */
function launch() {
  const extent = (id, name) => {
    const parts = byId(id)
      .value.trim()
      .split(/[,x×\s]+/)
      .filter(Boolean)
      .map(Number);
    if (
      parts.length < 1 ||
      parts.length > 3 ||
      !parts.every((n) => Number.isInteger(n) && n >= 0)
    ) {
      throw new Error(`${name}: one to three whole numbers, as in 4 or 4,2`);
    }
    return [...parts, 1, 1].slice(0, 3);
  };
  const shared = Number(byId("shared").value || 0);
  if (!Number.isInteger(shared) || shared < 0) throw new Error("shared memory: a number of bytes");
  const args = [...byId("arguments").querySelectorAll("input")];
  return {
    kernel: byId("kernel").value || null,
    grid: extent("grid", "grid"),
    block: extent("block", "block"),
    shared,
    args: args.map((input) => `${input.dataset.name}=${input.value.trim()}`),
    races: byId("races").checked,
    uninit: byId("uninit").checked,
  };
}

/** Shows a program. */
function open(next) {
  program = { args: {}, grid: "1", block: "32", shared: "0", ...next };
  editor.open(program.file, program.text);
  for (const id of ["grid", "block", "shared"]) byId(id).value = program[id];
  byId("language").value = program.file.endsWith(".cl") ? "cl" : "cu";
  if (program.gpu) byId("gpu").value = program.gpu;
  byId("races").checked = program.races ?? true;
  byId("uninit").checked = program.uninit ?? true;
  // The fields of the program before say nothing of this one.
  kernels = [];
  byId("kernel").replaceChildren();
  byId("arguments").replaceChildren();
  clear();
  return check();
}

/** Reads the form back into the program and keeps it. */
function keep() {
  program.text = editor.value;
  for (const id of ["grid", "block", "shared"]) program[id] = byId(id).value;
  program.kernel = byId("kernel").value;
  program.gpu = byId("gpu").value;
  program.races = byId("races").checked;
  program.uninit = byId("uninit").checked;
  for (const input of byId("arguments").querySelectorAll("input")) {
    program.args[input.dataset.name] = input.value;
  }
  store.set(KEPT, program);
  showCommand();
}

const checkSoon = later(150, check);

function changed() {
  answer = null;
  warp.forget();
  keep();
  checkSoon();
}

/** Asks the compiler, and shows its messages and the kernels' parameters. */
async function check() {
  const asked = editor.value;
  let said;
  try {
    said = await checker.ask({ op: "check", program: source() });
  } catch (error) {
    return tell(String(error.message ?? error), "bad");
  }
  if (asked !== editor.value) return;
  showDiagnostics(said.diagnostics);
  if (said.kernels) {
    showKernels(said.kernels);
    keep();
  }
  document.documentElement.dataset.checked = "true";
}

function showDiagnostics(list) {
  const marks = list
    .filter((d) => d.at.file === program.file)
    .map((d) => ({ ...d.at, kind: d.severity, text: d.message }));
  editor.mark(marks);
  byId("problems").replaceChildren(list.length ? messages(list, goTo) : "");
  const errors = list.filter((d) => d.severity === "error").length;
  if (errors) tell(`${errors} ${errors === 1 ? "error" : "errors"}`, "bad");
  else if (!answer) tell("Ready. Ctrl+Enter runs it.", "");
}

function showKernels(list) {
  kernels = list;
  const select = byId("kernel");
  const chosen = list.some((k) => k.name === program.kernel) ? program.kernel : list.at(-1)?.name;
  select.replaceChildren(...list.map((k) => el("option", { value: k.name }, k.name)));
  select.value = chosen ?? "";
  byId("kernel-field").hidden = list.length < 2;
  showArguments();
}

function showArguments() {
  const kernel = kernels.find((k) => k.name === byId("kernel").value);
  const fields = (kernel?.params ?? []).map((p) =>
    el(
      "label",
      { class: "argument" },
      el("span", {}, el("code", {}, p.name), " ", el("span", { class: "soft" }, p.type)),
      el("input", {
        type: "text",
        "data-name": p.name,
        value: program.args[p.name] ?? p.example,
        spellcheck: "false",
        autocomplete: "off",
        oninput: changedLaunch,
        onkeydown: runByEnter,
      }),
    ),
  );
  byId("arguments").replaceChildren(...fields);
  showCommand();
}

/** The same launch at the command line. */
function showCommand() {
  const args = [...byId("arguments").querySelectorAll("input")];
  const quote = (text) =>
    /^[\w=:.,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  const words = ["cargo lab kernel", program.file];
  if (kernels.length > 1) words.push("--kernel", quote(byId("kernel").value));
  words.push("--grid", byId("grid").value, "--block", byId("block").value);
  if (byId("shared").value !== "0") words.push("--shared", byId("shared").value);
  if (args.length)
    words.push("--arg", ...args.map((a) => quote(`${a.dataset.name}=${a.value.trim()}`)));
  byId("command").textContent = words.join(" ");
}

function tell(text, kind) {
  const status = byId("status");
  status.textContent = text;
  status.className = kind;
}

function goTo(line, col) {
  editor.goTo(line, col);
}

function clear() {
  answer = null;
  warp.forget();
  byId("faults").replaceChildren();
  byId("buffers").replaceChildren(
    el("p", { class: "soft" }, "Run the program to see what it computes."),
  );
  byId("counts").replaceChildren(
    el("p", { class: "soft" }, "Run the program to see what it counts."),
  );
}

function heatNotes() {
  return answer?.report ? heat(answer.report, byId("metric").value) : new Map();
}

/** Launches the program. */
async function run() {
  keep();
  let request;
  try {
    request = {
      op: "run",
      program: source(),
      launch: launch(),
      gpu: byId("gpu").value,
      patterns: true,
    };
  } catch (error) {
    return tell(error.message, "bad");
  }
  byId("run").disabled = true;
  byId("stop").hidden = false;
  tell("Running …", "");
  const began = performance.now();
  try {
    answer = await runner.ask(request);
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  byId("run").disabled = false;
  byId("stop").hidden = true;
  showAnswer(performance.now() - began);
  document.documentElement.dataset.ran = String(
    Number(document.documentElement.dataset.ran ?? 0) + 1,
  );
}

function showAnswer(ms) {
  byId("faults").replaceChildren();
  if (answer.error) {
    byId("faults").replaceChildren(el("pre", { class: "bad", role: "alert" }, answer.error));
    return tell("It was not launched", "bad");
  }
  showDiagnostics(answer.diagnostics);
  if (!answer.buffers) return;
  byId("buffers").replaceChildren(...answer.buffers.filter((b) => b.shown).map(bufferView));
  if (answer.fault) {
    const { marks, notes } = faultMarks(answer.fault);
    editor.mark(marks);
    editor.annotate(notes);
    if (marks.length) editor.reveal(marks[0].line);
    byId("faults").replaceChildren(faultView(answer, goTo));
    byId("buffers").replaceChildren();
    byId("counts").replaceChildren(occupancyView(answer.occupancy));
    show("tab-results");
    return tell(`${answer.code}: the launch was stopped`, "bad");
  }
  const { report } = answer;
  if (report.printf) {
    byId("faults").replaceChildren(el("h3", {}, "printf"), el("pre", {}, report.printf));
  }
  editor.annotate(heatNotes());
  byId("counts").replaceChildren(
    el(
      "p",
      {},
      "On ",
      el("b", {}, report.device),
      ", predicted: ",
      el("b", {}, time(report.predicted_ms)),
      `, bound by ${answer.bound}.`,
    ),
    occupancyView(answer.occupancy),
    el("h3", {}, "Launch"),
    el("pre", { class: "scroll launch", tabindex: "0" }, answer.table),
    el("h3", {}, "Requests to memory"),
    el("p", { class: "soft" }, "For each line the one that costs most; a number is a lane."),
    ...(answer.patterns ?? []).map((p) => requestView(p, goTo)),
  );
  const { inst } = report.total;
  tell(`Done in ${time(ms)} here: ${grouped(inst)} warp instructions, no fault`, "good");
}

function time(ms) {
  return ms < 1
    ? `${(1000 * ms).toFixed(1)} µs`
    : ms < 1000
      ? `${ms.toFixed(1)} ms`
      : `${(ms / 1000).toFixed(2)} s`;
}

function changedLaunch() {
  warp.forget();
  keep();
}

function runByEnter(event) {
  if (event.key === "Enter") run();
}

/** Puts a link that holds the whole program into the address and the clipboard. */
async function share() {
  keep();
  const fragment = await pack(program);
  history.replaceState(null, "", `#${fragment}`);
  try {
    await navigator.clipboard.writeText(location.href);
    tell("The link is copied: it holds the whole program", "good");
  } catch {
    tell("The address above now holds the whole program", "good");
  }
}

function switchLanguage() {
  const opencl = byId("language").value === "cl";
  if (program.file.endsWith(".cl") === opencl) return;
  program.file = opencl ? "kernel.cl" : "kernel.cu";
  editor.open(program.file, editor.value);
  changed();
}

/** Opens what the address names: a whole program, or an example, which runs at once. */
async function linked() {
  const whole = await unpack(location.hash);
  const named = EXAMPLES.find((e) => location.hash === `#${e.title.toLowerCase()}`);
  if (!whole && !named) return false;
  await open(whole ?? structuredClone(named.program));
  if (named) await run();
  return true;
}

async function start() {
  byId("gallery").append(
    ...EXAMPLES.map((example) =>
      el(
        "li",
        {},
        el(
          "button",
          { type: "button", onclick: () => open(structuredClone(example.program)) },
          el("b", {}, example.title),
          el("span", {}, example.about),
        ),
      ),
    ),
  );
  byId("metric").append(...METRICS.map((m) => el("option", { value: m.key }, m.name)));
  byId("run").addEventListener("click", run);
  byId("stop").addEventListener("click", () => runner.stop());
  byId("share").addEventListener("click", share);
  byId("kernel").addEventListener("change", () => {
    showArguments();
    changedLaunch();
  });
  byId("language").addEventListener("change", switchLanguage);
  byId("metric").addEventListener("change", () => editor.annotate(heatNotes()));
  for (const id of ["grid", "block", "shared"]) {
    byId(id).addEventListener("input", changedLaunch);
    byId(id).addEventListener("keydown", runByEnter);
  }
  for (const id of ["gpu", "races", "uninit"]) byId(id).addEventListener("change", changedLaunch);
  byId("views").addEventListener("shown", (event) => {
    if (event.target.id === "tab-warp") warp.open();
    else if (answer?.fault) editor.annotate(faultMarks(answer.fault).notes);
    else editor.annotate(heatNotes());
  });
  try {
    const { gpus, default: chosen } = await checker.ask({ op: "gpus" });
    byId("gpu").replaceChildren(...gpus.map((g) => el("option", { value: g.key }, g.name)));
    byId("gpu").value = chosen;
  } catch (error) {
    return tell(String(error.message ?? error), "bad");
  }
  addEventListener("hashchange", linked);
  if (await linked()) return;
  await open(store.get(KEPT) ?? structuredClone(EXAMPLES[0].program));
}

start();
