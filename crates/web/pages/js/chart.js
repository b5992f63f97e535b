// Lines over a common axis, as a drawing with words.

import { el, svg } from "./dom.js";

const WIDTH = 720;
const HEIGHT = 220;
const LEFT = 72;
const BOTTOM = 40;

/**
 * A figure of `series` (`{name, values}`, the values evenly spaced from `from` to `to`); `low` and
 * `high` limit the vertical axis.
 */
export function chart(title, series, { from, to, across, low, high }) {
  const x = (k, n) => LEFT + ((WIDTH - LEFT - 8) * k) / Math.max(1, n - 1);
  const y = (v) => 8 + ((HEIGHT - BOTTOM - 8) * (high - Math.min(high, Math.max(low, v)))) / (high - low);
  const mark = (text, at) => svg("text", at, text);
  const right = WIDTH - 8;
  const bottom = HEIGHT - BOTTOM;
  const up = ticks(low, high, 5).flatMap((v) => [
    svg("path", { class: "grid", d: `M${LEFT} ${y(v).toFixed(1)}H${right}` }),
    mark(nice(v), { x: LEFT - 6, y: (y(v) + 4).toFixed(1), "text-anchor": "end" }),
  ]);
  const along = ticks(from, to, 8).map((v) => {
    const at = (LEFT + ((right - LEFT) * (v - from)) / (to - from || 1)).toFixed(1);
    return mark(nice(v), { x: at, y: bottom + 14, "text-anchor": "middle" });
  });
  const lines = series.map(({ values }, k) =>
    svg("polyline", {
      class: `line-${k}`,
      points: values.map((v, i) => `${x(i, values.length).toFixed(1)},${y(v).toFixed(1)}`).join(" "),
    }),
  );
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": title },
    ...up,
    svg("path", { class: "axis", d: `M${LEFT} 8V${bottom}H${right}` }),
    ...along,
    mark(across, { x: (LEFT + WIDTH) / 2, y: HEIGHT - 4, "text-anchor": "middle" }),
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

/** Steps of 1, 2 or 5 times a power of ten, no more than `most` of them. */
function ticks(low, high, most) {
  const rough = (high - low) / most;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((s) => s * power >= rough * (1 - 1e-9)) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => (first + k) * step);
}

function nice(number) {
  return String(Number(number.toPrecision(4)));
}
