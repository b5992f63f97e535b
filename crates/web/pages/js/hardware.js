// Designs of labs 4 and 5: what they are made of, what they cost, what their signals do.

import { byId, el, fill, grouped, tabs } from "./dom.js";
import { newEngine } from "./engine.js";
import { Waves } from "./waves.js";

const engine = newEngine("hardware");
const waves = new Waves(byId("waves"));
const TONES = [
  [12000, 1 / 32],
  [8000, 5 / 16],
];

/** What is looked at: `{given}`, `{own}` or `{netlist}`. */
let design = null;
let zoom = 1;

async function ask(request) {
  const answer = await engine.ask(request);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** Does something and says what went wrong with it. */
async function attempt(text, act) {
  tell(text, "");
  try {
    await act();
    tell("", "");
  } catch (error) {
    tell(String(error.message ?? error), "bad");
  }
}

/** Opens a design; one that is refused leaves the page as it is. */
async function open(wanted) {
  await attempt("Building …", async () => {
    const about = await ask({ op: "design", design: wanted });
    design = wanted;
    waves.clear("");
    fill(byId("spectrum"));
    explain(about);
    await run();
  });
}

function explain(about) {
  const ports = (list) => list.map((p) => `${p.name} ${p.type}`).join(", ");
  const board = about.board === null;
  byId("about").textContent =
    `${about.name}: in ${ports(about.inputs)}; out ${ports(about.outputs)}. ` +
    (board
      ? "It runs on the board: 1024 samples go in, 1024 come back."
      : "It does not fit the board's communication block: inputs without a number change at " +
        "random.");
  byId("signal-field").hidden = !board;
  const driven = board ? ["START_PROC", "SRC_DATA"] : [];
  fill(
    byId("inputs"),
    about.inputs
      .filter((p) => !driven.includes(p.name))
      .map((p) =>
        el(
          "label",
          { class: "field" },
          `${p.name} (${p.type})`,
          el("input", { "data-port": p.name, size: "6", spellcheck: "false" }),
        ),
      ),
  );
  fill(byId("blocks"), blocks(about));
  fill(byId("cost"), cost(about));
  fill(
    byId("text"),
    el("h2", {}, "VHDL"),
    el("pre", { tabindex: "0" }, about.vhdl),
    el("h2", {}, "Verilog"),
    el("pre", { tabindex: "0" }, about.verilog),
  );
}

async function run() {
  const set = {};
  for (const field of byId("inputs").querySelectorAll("input")) {
    const text = field.value.trim();
    if (text === "") continue;
    if (!/^-?\d+$/.test(text)) throw new Error(`${field.dataset.port}: ${text} is no whole number`);
    set[field.dataset.port] = Number(text);
  }
  const kind = byId("signal").value;
  const signal = kind === "tones" ? { kind, tones: TONES } : { kind };
  const wanted = design;
  const said = await ask({ op: "simulate", design, signal, set });
  if (design !== wanted) return;
  waves.show(said);
  fill(byId("spectrum"), ...samples(said));
  document.documentElement.dataset.simulated = String(
    Number(document.documentElement.dataset.simulated ?? 0) + 1,
  );
}

// ---- block diagrams

/** Diagrams of the top and, folded, of what is in it. */
function blocks(about) {
  const list = new Map(about.modules.map((m) => [m.name, m]));
  const scale = (by) => {
    zoom = by ? Math.max(0.5, Math.min(8, zoom * by)) : 1;
    byId("blocks").querySelectorAll("img").forEach(size);
    byId("zoomed").textContent = `${Math.round(100 * zoom)} % of the page's width`;
  };
  const button = (id, label, by) =>
    el("button", { type: "button", id, onclick: () => scale(by) }, label);
  return [
    el(
      "div",
      { class: "controls" },
      button("zoom-in", "Zoom in", Math.SQRT2),
      button("zoom-out", "Zoom out", Math.SQRT1_2),
      button("zoom-fit", "Whole width", null),
      el("span", { class: "soft", id: "zoomed", role: "status" }, ""),
    ),
    diagram(list, about.name),
  ];
}

/** A small diagram is not blown up to the page's width. */
function size(image) {
  const most = 1.3 * zoom * (image.naturalWidth || 800);
  image.style.width = `min(${100 * zoom}%, ${most}px)`;
}

function diagram(list, name) {
  const module = list.get(name);
  const image = el("img", { src: module.diagram, alt: `Block diagram of ${name}` });
  image.addEventListener("load", () => size(image));
  const inside = new Map();
  for (const instance of module.instances)
    inside.set(instance.module, [...(inside.get(instance.module) ?? []), instance.name]);
  return el(
    "div",
    {},
    el(
      "div",
      { class: "scroll drawing", tabindex: "0", role: "group", "aria-label": `Diagram of ${name}` },
      image,
    ),
    [...inside].map(([other, names]) => {
      const details = el("details", { class: "inside" },
        el("summary", {}, el("code", {}, other), `, ${names.length} times: ${names.join(", ")}`));
      details.addEventListener(
        "toggle",
        () => details.open && details.append(diagram(list, other)),
        { once: true },
      );
      return details;
    }),
  );
}

// ---- costs

const PARTS = [
  ["luts", "LUTs"],
  ["ffs", "flip-flops"],
  ["multipliers", "multiplier blocks"],
  ["ram_bits", "bits of block RAM"],
];

function cost(about) {
  const one = (e) => {
    const bars = PARTS.map(([part, words]) => {
      const [used, of] = [e.total[part], e.device[part]];
      if (of === 0 && used === 0) return null;
      const fill = el("i", { class: used > of ? "over" : "" });
      fill.style.width = `${Math.min(100, (100 * used) / Math.max(1, of))}%`;
      return el(
        "li",
        {},
        el("div", { class: "bar", "aria-hidden": "true" }, fill),
        ` ${grouped(used)} of ${grouped(of)} ${words}`,
        used > of && el("b", { class: "bad" }, ": too many"),
      );
    });
    const style = e.products === "Blocks" ? "multiplier blocks" : "LUTs";
    return el(
      "section",
      {},
      el("h3", {}, `${e.device.name}, products in ${style}`),
      el("ul", { class: "bars" }, bars.filter(Boolean)),
      el(
        "p",
        { class: "soft" },
        `About ${grouped(e.slices)} slices, ${e.depth} levels of logic, ${e.mhz.toFixed(0)} MHz; ` +
          `the board runs at ${about.clock_mhz} MHz.` +
          (e.taken ? ` The board's communication block takes ${e.taken.luts} LUTs more.` : ""),
      ),
      el(
        "details",
        {},
        el("summary", {}, "By module"),
        el(
          "div",
          { class: "scroll", tabindex: "0", role: "group", "aria-label": "Parts by module" },
          modules(e),
        ),
      ),
    );
  };
  const overflows = about.overflows;
  return [
    el("p", { class: "soft" }, "Counted by the rules of the crate hdl, without a tool."),
    el("div", { class: "cards" }, about.estimates.map(one)),
    el("h3", {}, "Overflows"),
    overflows.length
      ? el("ul", {}, overflows.map((text) => el("li", {}, text)))
      : el("p", {}, "No sum can overflow, whatever the inputs are."),
  ];
}

function modules(e) {
  const head = ["module", "times", ...PARTS.map(([, words]) => words)];
  return el(
    "table",
    { class: "plain" },
    el("thead", {}, el("tr", {}, head.map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, e.modules.map((m) =>
      el("tr", {},
        el("th", { scope: "row" }, m.module),
        el("td", {}, String(m.instances)),
        PARTS.map(([part]) => el("td", {}, grouped(m.own[part])))))),
  );
}

// ---- samples

function samples(said) {
  if (!said.charts) return [el("p", { class: "soft" }, "The design does not run on the board.")];
  return [
    el("pre", { tabindex: "0", id: "report" }, said.report),
    said.charts.map(({ title, picture }) =>
      el("div", { class: "scroll chart", tabindex: "0", role: "group", "aria-label": title },
        el("img", { src: picture, alt: `${title}, of input and output` }))),
  ];
}

// ---- designs

async function openNetlist(event) {
  const [chosen] = event.target.files;
  event.target.value = "";
  if (!chosen) return;
  let netlist;
  try {
    netlist = JSON.parse(await chosen.text());
  } catch {
    return tell(`${chosen.name}: this is no JSON`, "bad");
  }
  byId("design").value = "";
  await open({ netlist: netlist.design ?? netlist });
}

async function saveNetlist() {
  await attempt("", async () => {
    const netlist = design.netlist ?? (await ask({ op: "netlist", design }));
    const name = netlist.modules.at(-1).net.name;
    const link = el("a", {
      href: URL.createObjectURL(new Blob([JSON.stringify(netlist)])),
      download: `${name}.json`,
    });
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

function tell(text, kind) {
  byId("status").textContent = text;
  byId("status").className = kind;
}

async function start() {
  tabs(byId("views"));
  byId("run").addEventListener("click", () => attempt("Running …", run));
  byId("signal").addEventListener("change", () => attempt("Running …", run));
  byId("netlist").addEventListener("change", openNetlist);
  byId("save").addEventListener("click", saveNetlist);
  await attempt("", async () => {
    const designs = await ask({ op: "designs" });
    const key = (d) => (d.own ? { own: d.name } : { given: d.name });
    const option = (d) => el("option", { value: JSON.stringify(key(d)) }, `${d.name}: ${d.what}`);
    const group = (label, list) => list.length > 0 && el("optgroup", { label }, list.map(option));
    fill(
      byId("design"),
      group("Given", designs.filter((d) => !d.own)),
      group("Yours", designs.filter((d) => d.own)),
    );
    byId("design").addEventListener("change", (event) => open(JSON.parse(event.target.value)));
    open(key(designs[0]));
  });
}

start();
