// The signals of a run over its clocks: a cursor, a search, instances that fold.

import { el, fill, svg } from "./dom.js";

const ROW = 26;
/** Clocks in a view: the steps of the zoom. */
const ZOOMS = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
/** Pixels that a value's text takes at least. */
const ROOM = 34;
/** Pixels of the columns of names and values. */
const NAMES = 230;

export class Waves {
  #box;
  #run = null;
  #from = 0;
  #zoom = 2;
  #cursor = 0;
  #radix = "dec";
  #chosen = "";
  #open = new Set();
  #said = "";

  constructor(box) {
    this.#box = box;
    box.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(box);
  }

  /** Shows another run; what was folded stays so. */
  show(run) {
    this.#run = run;
    this.#from = 0;
    this.#cursor = 0;
    this.#said = "";
    if (!run.signals.some((s) => s.name === this.#chosen))
      this.#chosen = run.signals[0]?.name ?? "";
    this.#draw();
  }

  clear(text) {
    this.#run = null;
    fill(this.#box, el("p", { class: "soft" }, text));
  }

  get #shown() {
    return Math.min(ZOOMS[this.#zoom], Math.max(1, this.#run.clocks));
  }

  #moves = {
    ArrowRight: () => this.#go(this.#cursor + 1),
    ArrowLeft: () => this.#go(this.#cursor - 1),
    PageDown: () => this.#go(this.#cursor + this.#shown),
    PageUp: () => this.#go(this.#cursor - this.#shown),
    Home: () => this.#go(0),
    End: () => this.#go(this.#run.clocks - 1),
    "+": () => this.#zoomBy(-1),
    "-": () => this.#zoomBy(1),
    n: () => this.#change(1),
    p: () => this.#change(-1),
  };

  #key(event) {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const move = plain && this.#run ? this.#moves[event.key] : null;
    if (!move || event.target.matches("input, select")) return;
    event.preventDefault();
    move();
  }

  /** Puts the cursor on a clock and brings it into view. */
  #go(clock) {
    this.#cursor = Math.max(0, Math.min(this.#run.clocks - 1, clock));
    const shown = this.#shown;
    if (this.#cursor < this.#from || this.#cursor >= this.#from + shown)
      this.#from = this.#cursor - Math.floor(shown / 4);
    this.#from = Math.max(0, Math.min(this.#run.clocks - shown, this.#from));
    this.#draw();
  }

  #zoomBy(step) {
    const place = (this.#cursor - this.#from) / this.#shown;
    this.#zoom = Math.max(0, Math.min(ZOOMS.length - 1, this.#zoom + step));
    this.#from = Math.round(this.#cursor - place * this.#shown);
    this.#go(this.#cursor);
  }

  #signal() {
    return this.#run.signals.find((s) => s.name === this.#chosen);
  }

  /** To where the chosen signal next changes, or last did. */
  #change(direction) {
    this.#find(() => true, direction, `${this.#chosen} does not change`);
  }

  #search(text, direction) {
    const wanted = text.trim();
    if (!wanted) return this.#change(direction);
    const signal = this.#signal();
    const state = (signal.states ?? []).findIndex((s) => s.toLowerCase() === wanted.toLowerCase());
    let value = state >= 0 ? String(state) : null;
    try {
      value ??= String(wanted.startsWith("-") ? -BigInt(wanted.slice(1)) : BigInt(wanted));
    } catch {
      return this.#tell(`${wanted} is neither a number nor a state of ${signal.name}`);
    }
    const is = (v) => String(v) === value;
    this.#find(is, direction, `${signal.name} does not become ${wanted}`);
  }

  /** The next change, in that direction, to a value that is wanted. */
  #find(wanted, direction, otherwise) {
    const { changes } = this.#signal();
    const found = [];
    for (let k = 0; k < changes.length; k += 2) {
      const after = (changes[k] - this.#cursor) * direction > 0;
      if (after && wanted(changes[k + 1])) found.push(changes[k]);
    }
    if (found.length === 0) {
      const side = direction > 0 ? "after" : "before";
      return this.#tell(`${otherwise} ${side} clock ${this.#cursor}`);
    }
    this.#said = "";
    this.#go(direction > 0 ? found[0] : found[found.length - 1]);
  }

  #tell(text) {
    this.#said = text;
    this.#draw();
  }

  #draw() {
    if (!this.#run || this.#box.hidden) return;
    const focus = document.activeElement?.id;
    const searched = this.#box.querySelector("#wave-value")?.value ?? "";
    const { clocks, more, signals } = this.#run;
    const last = Math.min(clocks, this.#from + this.#shown);
    const button = (id, label, title, act) =>
      el("button", { type: "button", id: `wave-${id}`, title, onclick: act }, label);
    const pick = el(
      "select",
      {
        id: "wave-signal",
        onchange: (event) => ((this.#chosen = event.target.value), this.#draw()),
      },
      signals.map((s) => el("option", { value: s.name }, s.name)),
    );
    pick.value = this.#chosen;
    const radix = el(
      "select",
      { id: "wave-radix", onchange: (event) => ((this.#radix = event.target.value), this.#draw()) },
      [["dec", "decimal"], ["hex", "hexadecimal"], ["bin", "binary"]].map(([value, name]) =>
        el("option", { value }, name)),
    );
    radix.value = this.#radix;
    const value = el("input", {
      id: "wave-value",
      size: "10",
      spellcheck: "false",
      onkeydown: (event) => {
        if (event.key === "Enter") this.#search(event.target.value, event.shiftKey ? -1 : 1);
      },
    });
    value.value = searched;
    const text = () => this.#box.querySelector("#wave-value").value;
    fill(
      this.#box,
      el(
        "div",
        { class: "controls" },
        button("in", "Zoom in", "+", () => this.#zoomBy(-1)),
        button("out", "Zoom out", "-", () => this.#zoomBy(1)),
        button("left", "‹ Clock", "left arrow", () => this.#go(this.#cursor - 1)),
        button("right", "Clock ›", "right arrow", () => this.#go(this.#cursor + 1)),
        el("label", { class: "field" }, "Numbers", radix),
        el("label", { class: "field" }, "Signal", pick),
        el("label", { class: "field" }, "becomes (empty: any)", value),
        button("before", "‹ Find", "Shift+Enter; p for any change", () => this.#search(text(), -1)),
        button("find", "Find ›", "Enter; n for any change", () => this.#search(text(), 1)),
      ),
      el(
        "p",
        { role: "status", id: "wave-status" },
        this.#said ||
          `Clock ${this.#cursor}; clocks ${this.#from} to ${last - 1} of ${clocks}` +
            `${more ? " (the first ones of the run)" : ""} are shown.`,
      ),
      el(
        "div",
        {
          class: "scroll waves",
          tabindex: "0",
          role: "group",
          id: "wave-table",
          "aria-label": "Signals; arrow keys move the cursor",
        },
        el("table", {}, el("tbody", {}, this.#rows())),
      ),
    );
    this.#box.dataset.clock = String(this.#cursor);
    if (focus?.startsWith("wave-")) document.getElementById(focus)?.focus();
  }

  /** Signals of the top, then each instance with a button that opens it. */
  #rows() {
    const width = Math.max(240, this.#box.clientWidth - NAMES);
    const shown = (path) => path.every((_, k) => this.#open.has(path.slice(0, k + 1).join(".")));
    const rows = [];
    const seen = new Set();
    for (const signal of this.#run.signals) {
      const path = signal.name.split(".").slice(0, -1);
      for (let k = 1; k <= path.length; k += 1) {
        const instance = path.slice(0, k).join(".");
        if (seen.has(instance) || !shown(path.slice(0, k - 1))) continue;
        seen.add(instance);
        rows.push(this.#instance(instance, k - 1));
      }
      if (shown(path)) rows.push(this.#row(signal, path.length, width));
    }
    return rows;
  }

  #instance(name, depth) {
    const open = this.#open.has(name);
    const flip = () => {
      if (open) this.#open.delete(name);
      else this.#open.add(name);
      this.#draw();
    };
    const button = el(
      "button",
      {
        type: "button",
        class: "link",
        id: `wave-of-${name}`,
        "aria-expanded": String(open),
        onclick: flip,
      },
      `${open ? "▾" : "▸"} ${name.split(".").pop()}`,
    );
    const cell = el("th", { scope: "row", colSpan: 3 }, button);
    cell.style.paddingLeft = `${depth}em`;
    return el("tr", { class: "instance" }, cell);
  }

  #row(signal, depth, width) {
    const name = el("th", { scope: "row", title: `${signal.name}, ${signal.width} bits` },
      signal.name.split(".").pop());
    name.style.paddingLeft = `${depth}em`;
    return el(
      "tr",
      { class: signal.name === this.#chosen ? "chosen" : null, "data-signal": signal.name },
      name,
      el("td", { class: "value" }, this.#text(signal, valueAt(signal, this.#cursor))),
      el("td", { class: "track" }, this.#track(signal, width)),
    );
  }

  #track(signal, width) {
    const { changes } = signal;
    const [from, shown] = [this.#from, this.#shown];
    const end = Math.min(this.#run.clocks, from + shown);
    const x = (clock) => ((clock - from) * width) / shown;
    const parts = [];
    const bit = signal.width === 1;
    let line = "";
    for (let k = startOf(changes, from); k < changes.length && changes[k] < end; k += 2) {
      const left = Math.max(0, x(changes[k]));
      const right = x(Math.min(end, changes[k + 2] ?? end));
      if (bit) {
        const y = Number(changes[k + 1]) ? 5 : ROW - 6;
        line += `${line ? "L" : "M"}${left.toFixed(1)} ${y}L${right.toFixed(1)} ${y}`;
      } else {
        const slope = Math.min(3, (right - left) / 3);
        line +=
          `M${left.toFixed(1)} ${ROW / 2}l${slope} ${5 - ROW / 2}H${(right - slope).toFixed(1)}` +
          `l${slope} ${ROW / 2 - 5}l${-slope} ${ROW / 2 - 6}H${(left + slope).toFixed(1)}Z`;
        const text = this.#text(signal, changes[k + 1]);
        if (right - left > Math.max(ROOM, 7.5 * text.length + 6))
          parts.push(svg("text", { x: left + 5, y: ROW / 2 + 4 }, text));
      }
    }
    const at = x(this.#cursor + 0.5);
    const choose = (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      this.#chosen = signal.name;
      this.#go(from + Math.floor(((event.clientX - box.left) * shown) / box.width));
    };
    return svg(
      "svg",
      { width, height: ROW, onclick: choose, "aria-hidden": "true" },
      svg("path", { d: line, class: bit ? "wire" : "bus" }),
      ...parts,
      svg("path", { d: `M${at.toFixed(1)} 0V${ROW}`, class: "cursor" }),
    );
  }

  #text(signal, value) {
    if (value === undefined) return "";
    if (signal.states) return signal.states[value] ?? String(value);
    if (this.#radix === "dec" || signal.width === 1) return String(value);
    const bits = BigInt.asUintN(signal.width, BigInt(value));
    const hexadecimal = this.#radix === "hex";
    const [base, digits] = hexadecimal ? [16, Math.ceil(signal.width / 4)] : [2, signal.width];
    return bits.toString(base).padStart(digits, "0");
  }
}

/** Where in the changes the one stands that holds at a clock. */
function startOf(changes, clock) {
  let [low, high] = [0, changes.length / 2];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (changes[2 * middle] <= clock) low = middle;
    else high = middle;
  }
  return 2 * low;
}

function valueAt({ changes }, clock) {
  return changes[startOf(changes, clock) + 1];
}
