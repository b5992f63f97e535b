// Inside a warp: a launch statement by statement, forward and back.

import { el, fill } from "./dom.js";
import { newEngine } from "./engine.js";
import { requestView } from "./results.js";

const LANES = [...Array(32).keys()];

export class WarpView {
  #box;
  #options;
  #engine = newEngine();
  #steps = null;
  #at = 0;
  #only = false;
  #asked = 0;

  /** `request()` gives program and launch; `stopped(line, sign)` hears where the warp stands. */
  constructor(box, options) {
    this.#box = box;
    this.#options = options;
    this.#box.addEventListener("keydown", (event) => this.#key(event));
    this.forget();
  }

  /** The program has changed: what is known of it no longer holds. */
  forget() {
    if (this.#steps) this.#options.stopped(null);
    this.#steps = null;
    this.#at = 0;
    this.#box.replaceChildren(
      el("p", { class: "soft" }, "Open this view to step through the launch."),
    );
    if (!this.#box.closest("[role=tabpanel]")?.hidden) {
      this.#box.replaceChildren(
        el("button", { type: "button", onclick: () => this.open() }, "Step through the launch"),
      );
    }
  }

  /** Finds all stops of the launch and shows the first, or the one that was shown. */
  async open() {
    if (!this.#steps) {
      let said;
      try {
        said = await this.#engine.ask({ op: "steps", ...this.#options.request() });
      } catch (error) {
        said = { error: String(error.message ?? error) };
      }
      if (!said.stops || said.stops.length === 0) {
        const text = said.error ?? said.text ?? "The launch has no statement to stop at.";
        this.#box.replaceChildren(el("pre", { class: "bad", role: "alert" }, text));
        return;
      }
      this.#steps = said;
      this.#at = 0;
    }
    await this.#look();
  }

  #key(event) {
    if (event.target.matches("input, select, textarea") || !this.#steps) return;
    const moves = {
      ArrowRight: () => this.#move(1),
      n: () => this.#move(1),
      ArrowLeft: () => this.#move(-1),
      p: () => this.#move(-1),
      Home: () => this.#go(0),
      End: () => this.#go(this.#steps.stops.length - 1),
      d: () => this.#diverged(),
    };
    const move = event.ctrlKey || event.metaKey || event.altKey ? null : moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  /** To the next or last stop; of the same warp, if only that is followed. */
  #move(by) {
    const { stops } = this.#steps;
    const [block, warp] = stops[this.#at];
    let at = this.#at + by;
    while (this.#only && stops[at] && (stops[at][0] !== block || stops[at][1] !== warp)) at += by;
    this.#go(at);
  }

  /** To the next stop at which only some of the living lanes execute. */
  #diverged() {
    const at = this.#steps.stops.findIndex(
      ([, , mask, alive], k) => k > this.#at && mask !== alive,
    );
    this.#go(at);
  }

  #go(at) {
    if (at < 0 || at >= this.#steps.stops.length) return;
    this.#at = at;
    this.#look();
  }

  async #look() {
    const asked = ++this.#asked;
    const seen = await this.#engine
      .ask({ op: "look", ...this.#options.request(), at: this.#at })
      .catch((error) => ({ error: String(error.message ?? error) }));
    if (asked !== this.#asked || !this.#steps) return;
    const focus = document.activeElement?.id;
    if (seen.error)
      this.#box.replaceChildren(el("pre", { class: "bad", role: "alert" }, seen.error));
    else this.#draw(seen);
    if (focus?.startsWith("step-")) document.getElementById(focus)?.focus();
    this.#box.dataset.at = String(this.#at);
  }

  #draw(seen) {
    const { stops, more, text } = this.#steps;
    const last = this.#at === stops.length - 1;
    const button = (id, label, title, go) =>
      el("button", { type: "button", id: `step-${id}`, title, onclick: go }, label);
    const controls = el(
      "div",
      { class: "controls", role: "toolbar", "aria-label": "Steps" },
      button("first", "« First", "Home", () => this.#go(0)),
      button("back", "‹ Back", "left arrow, or p", () => this.#move(-1)),
      button("next", "Next ›", "right arrow, or n", () => this.#move(1)),
      button("diverged", "Next divergence", "d", () => this.#diverged()),
      el(
        "label",
        { class: "check" },
        el("input", {
          type: "checkbox",
          checked: this.#only,
          onchange: (event) => {
            this.#only = event.target.checked;
          },
        }),
        " this warp only",
      ),
    );
    const slider = el("input", {
      type: "range",
      id: "step-slider",
      min: "0",
      max: String(stops.length - 1),
      value: String(this.#at),
      "aria-label": "Statement of the launch",
      oninput: (event) => this.#go(Number(event.target.value)),
    });
    slider.value = String(this.#at);
    const active = LANES.filter((l) => (seen.mask >>> l) & 1).length;
    const where =
      `Statement ${this.#at + 1} of ${stops.length}${more ? " (the first ones)" : ""}: ` +
      `block (${seen.block}), warp ${seen.warp}, line ${seen.place.line} of ${seen.function}; ` +
      `${active} of 32 lanes execute it.`;
    this.#options.stopped(seen.place.line, "▶");
    fill(
      this.#box,
      controls,
      slider,
      el("p", { role: "status" }, where),
      last && text && el("pre", { class: "bad" }, text),
      el("h3", {}, "Lanes"),
      lanes(seen),
      seen.warps.length > 1 && el("h3", {}, "Warps of the block"),
      seen.warps.length > 1 && warps(seen),
      seen.requests.length > 0 && el("h3", {}, "What this statement asks of memory"),
      ...seen.requests.map((request) => requestView(request)),
      ...seen.shared.map((variable) => banks(variable, seen.requests)),
    );
  }
}

/** What a lane does, as a class and a sign that can be read without colour. */
function state(seen, lane) {
  if (((seen.mask >>> lane) & 1) === 1) return ["on", "●", "executes"];
  if (((seen.alive >>> lane) & 1) === 1) return ["off", "○", "waits"];
  return ["gone", "–", "has ended or does not exist"];
}

/** A table of lanes: what each does, and each variable's value in it. */
function lanes(seen) {
  const head = el(
    "tr",
    {},
    el("th", { scope: "row" }, "lane"),
    LANES.map((l) => el("th", { scope: "col" }, String(l))),
  );
  const marks = el(
    "tr",
    {},
    el("th", { scope: "row" }, "executes"),
    LANES.map((lane) => {
      const [name, sign, words] = state(seen, lane);
      const thread = seen.threads[lane];
      return el("td", { class: `lane-${name}`, title: `thread (${thread}) ${words}` }, sign);
    }),
  );
  const rows = seen.variables.map((v) => {
    const same = v.values.every(
      (x, l) => x === null || ((seen.alive >>> l) & 1) === 0 || x === firstOf(v.values),
    );
    const name = el("th", { scope: "row", title: v.type }, v.name);
    if (same) {
      return el(
        "tr",
        {},
        name,
        el(
          "td",
          { colSpan: 32, class: "same" },
          `${firstOf(v.values) ?? "–"}`,
          el("span", { class: "soft" }, " in all lanes"),
        ),
      );
    }
    return el(
      "tr",
      {},
      name,
      v.values.map((value, lane) =>
        el("td", { class: `lane-${state(seen, lane)[0]}`, title: value }, brief(value)),
      ),
    );
  });
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": "values by lane" },
    el(
      "table",
      { class: "lanes values-by-lane" },
      el("thead", {}, head),
      el("tbody", {}, marks, rows),
    ),
  );
}

function firstOf(values) {
  return values.find((value) => value !== null);
}

/** A value in few characters; the title has all of it. */
function brief(value) {
  if (value === null) return "–";
  if (value === "(no value yet)") return "?";
  const number = Number(value);
  if (value.length > 7 && Number.isFinite(number)) return String(Number(number.toPrecision(4)));
  return value.length > 9 ? `${value.slice(0, 8)}…` : value;
}

/** Where the warps of the block stand. */
function warps(seen) {
  const words = {
    ready: (w) => `at line ${w.line}`,
    barrier: (w) => `waits at the barrier of line ${w.line}`,
    ended: () => "has ended",
    waiting: () => "has not begun, or is not kept",
  };
  return el(
    "ul",
    { class: "warps" },
    seen.warps.map((w, k) =>
      el(
        "li",
        { class: `${w.state} ${k === seen.warp ? "here" : ""}` },
        el("b", {}, `warp ${k}`),
        ` ${words[w.state](w)}${k === seen.warp ? ", this one" : ""}`,
      ),
    ),
  );
}

/** A shared variable by banks: a row for each 32 words. */
function banks(variable, requests) {
  const { address, bytes, values, count } = variable;
  const touched = new Map();
  for (const request of requests.filter((r) => r.space === "shared" && r.name === variable.name)) {
    for (const [lane, at] of request.lanes) touched.set(at, [...(touched.get(at) ?? []), lane]);
  }
  const perRow = Math.max(1, Math.floor(128 / bytes));
  const shift = Math.floor((address % 128) / bytes);
  const rows = [];
  for (let first = -shift; first < values.length; first += perRow) {
    rows.push(
      el(
        "tr",
        {},
        el("th", { scope: "row" }, `[${Math.max(0, first)}]`),
        [...Array(perRow).keys()].map((k) => {
          const index = first + k;
          if (index < 0 || index >= values.length) return el("td", {});
          const by = touched.get(address + index * bytes);
          const title = `${variable.name}[${index}]` + (by ? `, lanes ${by.join(", ")}` : "");
          return el(
            "td",
            { class: by ? "touched" : "", title },
            brief(values[index] ?? "(no value yet)"),
          );
        }),
      ),
    );
  }
  const head =
    bytes === 4 &&
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col" }, "bank"),
        LANES.map((bank) => el("th", { scope: "col" }, String(bank))),
      ),
    );
  const dims = variable.dims.map((n) => `[${n}]`).join("");
  return el(
    "section",
    {},
    el("h3", {}, "Shared memory: ", el("code", {}, `${variable.type} ${variable.name}${dims}`)),
    el(
      "p",
      { class: "soft" },
      "A row is 32 words, a column a bank; ? was never written; framed: this statement touches it.",
    ),
    el(
      "div",
      {
        class: "scroll banks",
        tabindex: "0",
        role: "group",
        "aria-label": "shared memory by banks",
      },
      el("table", { class: "lanes" }, head, el("tbody", {}, rows)),
    ),
    count > values.length &&
      el("p", { class: "soft" }, `… and ${count - values.length} more elements.`),
  );
}
