// What a launch has said: faults, results, counts, occupancy, requests.

import { el, grouped, short } from "./dom.js";

/** Counts that the gutter can show: key, name, what it means. `best` divides a sum by another. */
export const METRICS = [
  { key: "inst", name: "warp instructions", of: (c) => c.inst },
  { key: "global", name: "sectors of global memory", of: (c) => c.gld_sec + c.gst_sec },
  { key: "shared", name: "wavefronts of shared memory", of: (c) => c.shld_wf + c.shst_wf },
  { key: "diverged", name: "branches that part a warp", of: (c) => c.br_div },
  { key: "atomic", name: "lanes in atomics", of: (c) => c.atom_lane },
  { key: "flop", name: "floating-point operations", of: (c) => c.flop },
];

/** The gutter's notes for the counts of a report. */
export function heat(report, key) {
  const metric = METRICS.find((m) => m.key === key) ?? METRICS[0];
  const counts = report.lines.map((l) => [l.at.line, metric.of(l.counters)]);
  const most = Math.max(1, ...counts.map(([, count]) => count));
  const notes = new Map();
  for (const [line, count] of counts) {
    if (count === 0) continue;
    const title = `${grouped(count)} ${metric.name}`;
    notes.set(line, { heat: count / most, note: short(count), title });
  }
  return notes;
}

/** The two sides of a fault as marks of the editor and signs of its gutter. */
export function faultMarks(fault) {
  const marks = [];
  const notes = new Map();
  const sides = [
    ["site", "1", "fault"],
    ["other", "2", "other"],
  ];
  for (const [side, sign, kind] of sides) {
    const site = fault[side];
    if (!site) continue;
    const text = `thread (${site.thread}) of block (${site.block}) ${site.action}`;
    marks.push({ line: site.at.line, col: site.at.col, width: site.width, kind, text });
    const before = notes.get(site.at.line);
    notes.set(site.at.line, {
      sign: before ? before.sign + sign : fault.other ? sign : "!",
      title: before ? `${before.title}; ${text}` : text,
    });
  }
  return { marks, notes };
}

/** Messages of the compiler as a list; each goes to its line. */
export function messages(diagnostics, goTo) {
  return el(
    "ul",
    { class: "messages" },
    diagnostics.map((d) =>
      el(
        "li",
        { class: d.severity },
        el(
          "button",
          { type: "button", class: "link", onclick: () => goTo(d.at.line, d.at.col) },
          `${d.at.file}:${d.at.line}:${d.at.col}`,
        ),
        ` ${d.severity}: ${d.message}`,
        d.help && el("span", { class: "help" }, ` (${d.help})`),
      ),
    ),
  );
}

/** A fault in words, with its source lines. */
export function faultView(answer, goTo) {
  const { fault } = answer;
  const side = (site, sign) =>
    site &&
    el(
      "li",
      {},
      el("span", { class: "side" }, sign),
      el(
        "button",
        { type: "button", class: "link", onclick: () => goTo(site.at.line, site.at.col) },
        `line ${site.at.line}`,
      ),
      ` thread (${site.thread.join(",")}) of block (${site.block.join(",")}) ${site.action}`,
    );
  const plural = fault.threads === 1 ? "thread" : "threads";
  return el(
    "section",
    { class: "fault", role: "alert" },
    el("h3", {}, el("code", {}, answer.code), " ", fault.message),
    el("ul", {}, side(fault.site, fault.other ? "1" : "!"), side(fault.other, "2")),
    fault.threads > 1 && el("p", {}, `${grouped(fault.threads)} ${plural} ran into it.`),
    el("details", {}, el("summary", {}, "As the command line says it"), el("pre", {}, answer.text)),
  );
}

/** A buffer, as rows of values. */
export function bufferView(buffer) {
  const note =
    buffer.first_never_written === null
      ? ""
      : ` ${buffer.name}[${buffer.first_never_written}] was never written.`;
  const shown = buffer.first_never_written === 0 ? [] : buffer.values;
  const more = buffer.count - shown.length;
  return el(
    "section",
    { class: "buffer" },
    el("h3", {}, el("code", {}, buffer.name), ` ${grouped(buffer.count)} × ${buffer.type}`),
    shown.length > 0 &&
      el(
        "ol",
        { class: "values", start: 0 },
        shown.map((value, k) => el("li", { title: `${buffer.name}[${k}]` }, value)),
      ),
    (note || (more > 0 && shown.length > 0)) &&
      el(
        "p",
        { class: "soft" },
        more > 0 && shown.length > 0 ? `… ${grouped(more)} more.` : "",
        note,
      ),
  );
}

/** Resident warps, as a bar with words. */
export function occupancyView(o) {
  if (o.error) return el("p", { class: "bad" }, o.error);
  const bar = el("i");
  bar.style.width = `${o.percent}%`;
  return el(
    "section",
    { class: "occupancy" },
    el("h3", {}, `Occupancy ${o.percent.toFixed(1)} %`),
    el("div", { class: "bar", role: "img", "aria-label": `${o.percent.toFixed(1)} percent` }, bar),
    el(
      "p",
      {},
      `${o.blocks} blocks of ${o.threads} threads: ${o.warps} of ${o.of} warps. `,
      "Limited by ",
      el("b", {}, o.limiter),
      `; a thread has ${o.registers} registers, `,
      `a block ${grouped(o.shared)} bytes of shared memory.`,
    ),
  );
}

/** A request to memory: rows of sectors or passes, with the lanes in them. */
export function requestView(request, goTo) {
  const { head, rows } = request;
  const cell = (lanes) =>
    el(
      "td",
      {
        class: lanes.length ? "lane" : "",
        title: lanes.length > 1 ? `lanes ${lanes.join(", ")}` : null,
      },
      lanes.length === 0 ? "·" : lanes.length === 1 ? String(lanes[0]) : `${lanes[0]}+`,
    );
  const share = Math.round((100 * request.used) / Math.max(1, request.moved));
  const moved =
    request.space === "global" &&
    `${grouped(request.moved)} bytes moved, ` +
      `${grouped(request.used)} used (${Math.min(share, 100)} %).`;
  return el(
    "figure",
    { class: `request ${request.cost > request.best ? "poor" : ""}` },
    el(
      "figcaption",
      {},
      goTo &&
        el(
          "button",
          { type: "button", class: "link", onclick: () => goTo(request.line, request.col) },
          `line ${request.line}`,
        ),
      goTo && ": ",
      `${request.sentence}. `,
      moved || "",
    ),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "lanes of the request" },
      el(
        "table",
        { class: "lanes" },
        head.length > 0 &&
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              el("th", { scope: "col" }, "bank"),
              head.map((h) => el("th", { scope: "col" }, h)),
            ),
          ),
        el(
          "tbody",
          {},
          rows
            .slice(0, 32)
            .map((row) => el("tr", {}, el("th", { scope: "row" }, row.label), row.cells.map(cell))),
        ),
      ),
    ),
    rows.length > 32 && el("p", { class: "soft" }, `… and ${rows.length - 32} more rows.`),
  );
}
