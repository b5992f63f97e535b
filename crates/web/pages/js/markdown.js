// Handouts as elements: the part of Markdown that they use. Nothing is read as HTML.

import { el } from "./dom.js";

/** The elements of a text; `base` is where its pictures lie. */
export function markdown(text, base) {
  return blocks(text.split("\n"), base);
}

function blocks(lines, base) {
  const out = [];
  let at = 0;
  const take = (test) => {
    const from = at;
    while (at < lines.length && test(lines[at])) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim() || /^---+$/.test(line)) {
      at += 1;
    } else if (line.startsWith("```")) {
      at += 1;
      const code = take((l) => !l.startsWith("```"));
      at += 1;
      out.push(el("pre", { tabindex: "0" }, el("code", {}, code.join("\n"))));
    } else if (/^#+ /.test(line)) {
      const level = Math.min(line.match(/^#+/)[0].length, 4);
      out.push(el(`h${level}`, {}, inline(line.replace(/^#+ /, ""), base)));
      at += 1;
    } else if (line.startsWith("<details>")) {
      const title = /<summary>(.*)<\/summary>/.exec(line)?.[1] ?? "More";
      at += 1;
      const inner = take((l) => !l.startsWith("</details>"));
      at += 1;
      out.push(el("details", {}, el("summary", {}, inline(title, base)), blocks(inner, base)));
    } else if (line.startsWith("|")) {
      out.push(
        table(
          take((l) => l.startsWith("|")),
          base,
        ),
      );
    } else if (/^\s*([*-]|\d+\.) /.test(line)) {
      const ordered = /^\s*\d/.test(line);
      const items = [];
      for (const l of take((l) => l.trim() && !/^(#|```|\||<)/.test(l))) {
        const item = /^\s*(?:[*-]|\d+\.) (.*)$/.exec(l);
        if (item) items.push(item[1]);
        else items[items.length - 1] += ` ${l.trim()}`;
      }
      out.push(
        el(
          ordered ? "ol" : "ul",
          {},
          items.map((item) => el("li", {}, inline(item, base))),
        ),
      );
    } else {
      const words = [
        line,
        ...((at += 1), take((l) => l.trim() && !/^(#|```|\||<details|\s*[*-] )/.test(l))),
      ];
      out.push(el("p", {}, inline(words.join(" "), base)));
    }
  }
  return out;
}

function table(lines, base) {
  const cells = (line) =>
    line
      .replace(/^\||\|\s*$/g, "")
      .split(/(?<!\\)\|/)
      .map((c) => c.trim().replaceAll("\\|", "|"));
  const [head, , ...rows] = lines.map(cells);
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": "table" },
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map((c) => el("th", { scope: "col" }, inline(c, base))),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((row) =>
          el(
            "tr",
            {},
            row.map((c) => el("td", {}, inline(c, base))),
          ),
        ),
      ),
    ),
  );
}

// Code, a picture, a link, strong, emphasis.
const INLINE = new RegExp(
  [
    /(`+)(.+?)\1/,
    /!\[([^\]]*)\]\(([^)\s]+)\)/,
    /\[([^\]]+)\]\(([^)\s]+)\)/,
    /\*\*(.+?)\*\*/,
    /\*(\S(?:.*?\S)?)\*/,
  ]
    .map((part) => part.source)
    .join("|"),
  "g",
);

function inline(text, base) {
  const out = [];
  let last = 0;
  for (const m of text.matchAll(INLINE)) {
    out.push(text.slice(last, m.index));
    last = m.index + m[0].length;
    if (m[2] !== undefined) out.push(el("code", {}, m[2]));
    else if (m[4] !== undefined) out.push(picture(m[3], m[4], base));
    // A link into the course's folder leads nowhere here: its words are enough.
    else if (m[6] !== undefined) out.push(el("span", {}, inline(m[5], base)));
    else if (m[7] !== undefined) out.push(el("b", {}, inline(m[7], base)));
    else out.push(el("em", {}, inline(m[8], base)));
  }
  out.push(text.slice(last));
  return out;
}

function picture(words, path, base) {
  const plain = /^[\w./-]+$/.test(path) && !path.includes("..");
  return plain ? el("img", { src: base + path, alt: words, loading: "lazy" }) : el("em", {}, words);
}
