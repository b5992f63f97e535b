// Lines over a common axis, as a drawing with words.

import { el, svg } from "./dom.js";

const WIDTH = 720;
const HEIGHT = 220;
const LEFT = 64;
const BOTTOM = 28;

/**
 * A figure of `series` (`{name, values}`, the values evenly spaced from `from` to `to`); `low` and
 * `high` limit the vertical axis.
 */
export function chart(title, series, { from, to, across, low, high }) {
  const x = (k, n) => LEFT + ((WIDTH - LEFT - 8) * k) / Math.max(1, n - 1);
  const y = (v) => 8 + ((HEIGHT - BOTTOM - 8) * (high - Math.min(high, Math.max(low, v)))) / (high - low);
  const mark = (text, at) => svg("text", at, text);
  const lines = series.map(({ values }, k) =>
    svg("polyline", {
      class: `line-${k}`,
      points: values.map((v, i) => `${x(i, values.length).toFixed(1)},${y(v).toFixed(1)}`).join(" "),
    }),
  );
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": title },
    svg("path", { class: "axis", d: `M${LEFT} 8V${HEIGHT - BOTTOM}H${WIDTH - 8}` }),
    mark(nice(high), { x: LEFT - 6, y: 16, "text-anchor": "end" }),
    mark(nice(low), { x: LEFT - 6, y: HEIGHT - BOTTOM, "text-anchor": "end" }),
    mark(nice(from), { x: LEFT, y: HEIGHT - 8 }),
    mark(across, { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle" }),
    mark(nice(to), { x: WIDTH - 8, y: HEIGHT - 8, "text-anchor": "end" }),
    ...lines,
  );
  const key = series.map(({ name }, k) =>
    el(
      "li",
      {},
      svg("svg", { viewBox: "0 0 30 8", class: "chart key", "aria-hidden": "true" },
        svg("polyline", { class: `line-${k}`, points: "0,4 30,4" })),
      ` ${name}`,
    ),
  );
  return el(
    "figure",
    {},
    el("figcaption", {}, el("b", {}, title)),
    drawing,
    series.length > 1 && el("ul", { class: "keys" }, key),
  );
}

function nice(number) {
  return String(Number(number.toPrecision(4)));
}
