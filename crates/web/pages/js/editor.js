// The code editor: a text area over a coloured copy of its text, with a gutter.
//
// The copy lies in the same cell of a grid and has the same metrics, so it also gives the text area
// its size: the box around both scrolls.

import { el } from "./dom.js";
import { words } from "./highlight.js";

const INDENT = "    ";

export class Editor {
  #text;
  #copy;
  #gutter;
  #file = "kernel.cu";
  #marks = [];
  #lines = new Map();
  #free = false;

  /** `change` is called when the user has changed the text; `label` names it for a reader. */
  constructor(box, { label, change, run, readOnly = false }) {
    this.#gutter = el("div", { class: "gutter", "aria-hidden": "true" });
    this.#copy = el("pre", { class: "copy", "aria-hidden": "true" });
    this.#text = el("textarea", {
      class: "text",
      "aria-label": label,
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      wrap: "off",
      readOnly,
      oninput: () => {
        this.#marks = [];
        this.#lines.clear();
        this.#draw();
        change?.();
      },
      onkeydown: (event) => this.#key(event, run),
    });
    const sheet = el("div", { class: "sheet" }, this.#copy, this.#text);
    box.classList.add("editor");
    box.replaceChildren(this.#gutter, sheet);
    this.#draw();
  }

  get value() {
    return this.#text.value;
  }

  /** Shows another text. */
  open(file, text) {
    this.#file = file;
    this.#text.value = text;
    this.#marks = [];
    this.#lines.clear();
    this.#draw();
  }

  /** Underlines: `{line, col, width, kind, text}`, from 1, in characters. */
  mark(marks) {
    this.#marks = marks;
    this.#draw();
  }

  /** What the gutter says of lines: a map from the line to `{heat, note, sign, title}`. */
  annotate(lines) {
    this.#lines = lines;
    this.#draw();
  }

  /** Scrolls a line into view and puts the caret there. */
  goTo(line, col = 1) {
    const at = this.#starts()[line - 1] ?? 0;
    this.#text.focus();
    this.#text.setSelectionRange(at + col - 1, at + col - 1);
    this.reveal(line);
  }

  /** Scrolls a line into view. */
  reveal(line) {
    this.#gutter.children[line - 1]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #starts() {
    const starts = [0];
    const text = this.#text.value;
    for (let k = text.indexOf("\n"); k >= 0; k = text.indexOf("\n", k + 1)) starts.push(k + 1);
    return starts;
  }

  #key(event, run) {
    const { ctrlKey, metaKey, key, shiftKey } = event;
    if (key === "Enter" && (ctrlKey || metaKey)) {
      event.preventDefault();
      run?.();
      return;
    }
    // Escape lets the next Tab leave the editor, so that no one is caught in it.
    if (key === "Escape") this.#free = true;
    else if (key !== "Tab") this.#free = false;
    if (this.#text.readOnly || ctrlKey || metaKey) return;
    if (key === "Tab" && !this.#free && !shiftKey) {
      event.preventDefault();
      this.#insert(INDENT);
    } else if (key === "Enter") {
      event.preventDefault();
      const before = this.#text.value.slice(0, this.#text.selectionStart);
      const line = before.slice(before.lastIndexOf("\n") + 1);
      const indent = line.match(/^[ \t]*/)[0] + (/\{\s*$/.test(line) ? INDENT : "");
      this.#insert("\n" + indent);
    } else if (key === "}") {
      const start = this.#text.selectionStart;
      const before = this.#text.value.slice(0, start);
      const line = before.slice(before.lastIndexOf("\n") + 1);
      if (line.endsWith(INDENT) && !line.trim()) {
        event.preventDefault();
        this.#text.setSelectionRange(start - INDENT.length, this.#text.selectionEnd);
        this.#insert("}");
      }
    }
  }

  /** As if typed, so that undo knows of it. */
  #insert(text) {
    if (!document.execCommand("insertText", false, text)) {
      this.#text.setRangeText(text, this.#text.selectionStart, this.#text.selectionEnd, "end");
      this.#text.dispatchEvent(new Event("input"));
    }
  }

  #draw() {
    const text = this.#text.value;
    const starts = this.#starts();
    const marks = this.#marks.map((mark) => {
      const from = (starts[mark.line - 1] ?? text.length) + mark.col - 1;
      return { ...mark, from, to: from + mark.width };
    });
    const kinds = words(text, this.#file);
    const edges = new Set([0, text.length, ...starts]);
    for (const [from, to] of kinds) edges.add(from).add(to);
    for (const { from, to } of marks) edges.add(from).add(to);
    const sorted = [...edges].filter((e) => e <= text.length).sort((a, b) => a - b);
    const pieces = [];
    let word = 0;
    for (let k = 0; k + 1 < sorted.length; k += 1) {
      const [from, to] = [sorted[k], sorted[k + 1]];
      while (word < kinds.length && kinds[word][1] <= from) word += 1;
      const kind = word < kinds.length && kinds[word][0] <= from ? kinds[word][2] : "";
      const over = marks.filter((m) => m.from <= from && to <= m.to);
      const classes = [kind && `c-${kind}`, ...over.map((m) => `mark m-${m.kind}`)];
      const name = classes.filter(Boolean).join(" ");
      const part = text.slice(from, to);
      pieces.push(name ? el("span", { class: name }, part) : part);
    }
    this.#copy.replaceChildren(...pieces, "\n");
    this.#gutter.replaceChildren(...starts.map((_, k) => this.#number(k + 1)));
  }

  #number(line) {
    const about = this.#lines.get(line);
    const node = el(
      "div",
      { class: `number ${about?.sign ? "signed" : ""}`, title: about?.title },
      el("span", { class: "sign" }, about?.sign ?? ""),
      el("span", { class: "line" }, String(line)),
      el("span", { class: "heat" }, about?.note ?? ""),
    );
    if (about?.heat !== undefined) node.style.setProperty("--heat", String(about.heat));
    return node;
  }
}
