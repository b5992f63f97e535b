// A small seismic shot and its image: the wave, the records, the image while it is summed.

import { byId, el, fill, later } from "./dom.js";
import { newEngine } from "./engine.js";

const engine = newEngine("seismics");

/** Sliders: key, words, unit, least, most, step, first value. */
const SLIDERS = [
  ["x", "Source, x", "m", 0, 800, 10, 300],
  ["z", "Source, depth", "m", 0, 300, 10, 20],
  ["peak", "Frequency", "Hz", 8, 25, 1, 15],
  ["v0", "Velocity above", "m/s", 1200, 4000, 50, 1500],
  ["v1", "Velocity between", "m/s", 1200, 4000, 50, 2200],
  ["v2", "Velocity below", "m/s", 1200, 4000, 50, 3000],
  ["d0", "Upper face", "m", 50, 550, 10, 230],
  ["d1", "Lower face", "m", 50, 550, 10, 430],
  ["dip", "Dip over 100 m", "m", -20, 20, 1, 6],
  ["shots", "Shots for the image", "", 1, 7, 1, 3],
];
const SCALE = 5;
/** Milliseconds that a picture stands. */
const STANDS = 60;

const values = {};
/** What is shown: `{levels, dt_s, nt, draw(k)}`. */
let film = null;
let frame = 0;
let timer = 0;
/** Grows with each question: an older one's answer is not shown. */
let asked = 0;

// ---- questions

function setting(x) {
  const [d0, d1] = [values.d0, Math.max(values.d0, values.d1)];
  // The faces tip around the middle of the model.
  const dip = values.dip / 100;
  return {
    velocities_mps: [values.v0, values.v1, values.v2],
    depths_m: [d0 - 400 * dip, d1 - 400 * dip],
    dip,
    source_m: [x, values.z],
    peak_hz: values.peak,
    absorbing: byId("absorbing").checked,
  };
}

async function ask(request) {
  const answer = await engine.ask(request);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** Begins a question: stops the one that runs. */
function begin(text) {
  engine.stop();
  tell(text, "");
  return ++asked;
}

function failed(number, error) {
  if (number === asked) tell(String(error.message ?? error), "bad");
}

async function shoot() {
  const number = begin("The wave runs …");
  try {
    const said = await ask({ op: "shoot", ...setting(values.x) });
    if (number !== asked) return;
    const wave = tank("Wave", said);
    const records = seismogram("Records of the receivers", said);
    fill(byId("tanks"), wave.figure, records.figure);
    const frames = said.frames.map(signed);
    show(said, (k) => {
      wave.draw(frames[k]);
      records.draw(said.levels[k]);
    });
    const points = (said.points * said.nt) / 1e6;
    tell(`${said.nt} steps, ${points.toFixed(0)} million points`, "");
    count("shot");
  } catch (error) {
    failed(number, error);
  }
}

/** Shot after shot, each with its own pictures; their images add up. */
async function image() {
  const number = begin("");
  const sum = { values: null, shots: 0 };
  try {
    for (let shot = 0; shot < values.shots; shot += 1) {
      const x = values.shots === 1 ? values.x : Math.round((80 * shot) / (values.shots - 1)) * 10;
      tell(`Shot ${shot + 1} of ${values.shots} at ${x} m …`, "");
      const said = await ask({ op: "image", ...setting(x) });
      if (number !== asked) return;
      add(sum, said);
      const tanks = ["Source's wave, backward", "Records sent back", "Image of this shot"].map(
        (title) => tank(title, said),
      );
      const frames = [said.source_frames, said.receiver_frames, said.image_frames].map((list) =>
        list.map(signed),
      );
      fill(byId("tanks"), ...tanks.map((t) => t.figure), total(sum, said));
      show(said, (k) => tanks.forEach((t, i) => t.draw(frames[i][k])));
    }
    tell(`${sum.shots} ${sum.shots === 1 ? "shot" : "shots"} summed`, "good");
    count("imaged");
  } catch (error) {
    failed(number, error);
  }
}

function add(sum, said) {
  const bytes = Uint8Array.from(atob(said.image), (c) => c.charCodeAt(0));
  const image = new Float32Array(bytes.buffer);
  sum.values = sum.values ? sum.values.map((v, k) => v + image[k]) : image;
  sum.shots += 1;
}

function signed(text) {
  return Int8Array.from(atob(text), (c) => (c.charCodeAt(0) << 24) >> 24);
}

// ---- drawings

const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", () => film?.draw(frame));

/** The colour of a value from -1 to 1 over the model's grey. */
function colour(out, at, value, grey) {
  const base = dark.matches ? 20 + 60 * grey : 250 - 70 * grey;
  const tint = value > 0 ? [215, 48, 39] : [49, 104, 200];
  const share = Math.min(1, Math.abs(value));
  for (let c = 0; c < 3; c += 1) out[at + c] = base + share * (tint[c] - base);
  out[at + 3] = 255;
}

/**
 * A picture of `nx` by `nz` points with a title and axes; `paint` gives the value of point x, z. An
 * axis is `{label, ticks}`, a tick a text and the point at which it stands.
 */
function panel(title, nx, nz, across, down) {
  const size = { width: nx * SCALE, height: nz * SCALE };
  const canvas = el("canvas", { ...size, role: "img", "aria-label": title });
  const small = el("canvas", { width: nx, height: nz });
  const figure = el(
    "figure",
    {},
    el("figcaption", {}, title),
    el("div", { class: "axes" }, axis("down", down, nz), canvas, axis("across", across, nx)),
  );
  const paint = (value, grey) => {
    const from = small.getContext("2d");
    const pixels = from.createImageData(nx, nz);
    for (let x = 0; x < nx; x += 1)
      for (let z = 0; z < nz; z += 1)
        colour(pixels.data, 4 * (z * nx + x), value(x, z), grey(x, z));
    from.putImageData(pixels, 0, 0);
    const to = canvas.getContext("2d");
    to.imageSmoothingEnabled = true;
    to.drawImage(small, 0, 0, nx * SCALE, nz * SCALE);
    return to;
  };
  return { figure, paint };
}

/** The texts of an axis beside a picture of so many points. */
function axis(kind, { label, ticks }, points) {
  const texts = ticks.map(([text, at]) => {
    const tick = el("span", {}, text);
    tick.style[kind === "down" ? "top" : "left"] = `${(100 * (at + 0.5)) / points}%`;
    return tick;
  });
  return el("div", { class: kind }, texts, el("b", {}, label));
}

/** An axis in metres over the points of the model, its absorbing layers outside of 0. */
function metres(label, points, { layers, spacing_m }) {
  const each = 200 / spacing_m;
  const count = Math.floor((points - 2 * layers - 1) / each) + 1;
  const ticks = Array.from({ length: count }, (_, k) => [String(200 * k), layers + k * each]);
  return { label: `${label} (m)`, ticks };
}

/** The sum of the images over the model, so that one sees whether the faces lie where they are. */
function total(sum, about) {
  const [nx, nz] = about.n;
  const [inner_x, inner_z] = about.interior;
  const model = velocity(about);
  const words = sum.shots === 1 ? "1 shot" : `${sum.shots} shots`;
  const { figure, paint } = panel(
    `Image of ${words}, over the model`, nx, nz, metres("x", nx, about), metres("depth", nz, about),
  );
  // What lies next to the sources is stronger than any face: it is cut.
  const sizes = sum.values.map(Math.abs).sort();
  const most = sizes[Math.floor(0.98 * sizes.length)] || 1;
  const to = paint(
    (x, z) => {
      const [i, k] = [x - about.layers, z - about.layers];
      const inside = i >= 0 && k >= 0 && i < inner_x && k < inner_z;
      return inside ? sum.values[i * inner_z + k] / most : 0;
    },
    (x, z) => model[x * nz + z] / 255,
  );
  marks(to, about);
  return figure;
}

function velocity(about) {
  return Uint8Array.from(atob(about.velocity), (c) => c.charCodeAt(0));
}

/** The plane of the source. */
function tank(title, about) {
  const [nx, nz] = about.n;
  const model = velocity(about);
  const axes = [metres("x", nx, about), metres("depth", nz, about)];
  const { figure, paint } = panel(title, nx, nz, ...axes);
  const draw = (bytes) => {
    const to = paint(
      (x, z) => bytes[x * nz + z] / 127,
      (x, z) => model[x * nz + z] / 255,
    );
    marks(to, about);
  };
  return { figure, draw };
}

/** Frame of the interior, source and receivers. */
function marks(to, { n: [nx, nz], layers, source, absorbing }) {
  const line = dark.matches ? "#c9d1d9" : "#1c2128";
  to.strokeStyle = line;
  to.fillStyle = line;
  to.lineWidth = 1;
  to.setLineDash(absorbing ? [6, 4] : []);
  const edge = absorbing ? layers : 0;
  to.strokeRect(
    edge * SCALE + 0.5,
    edge * SCALE + 0.5,
    (nx - 2 * edge) * SCALE - 1,
    (nz - 2 * edge) * SCALE - 1,
  );
  to.setLineDash([]);
  const [x, z] = source.map((p) => (p + 0.5) * SCALE);
  to.beginPath();
  to.moveTo(x - 7, z);
  to.lineTo(x + 7, z);
  to.moveTo(x, z - 7);
  to.lineTo(x, z + 7);
  to.stroke();
  for (let k = layers; k < nx - layers; k += 5)
    to.fillRect((k + 0.5) * SCALE - 1, (layers + 1) * SCALE, 3, 3);
}

/** The records, time downwards, up to a level. */
function seismogram(title, said) {
  const { nt } = said;
  const traces = signed(said.traces);
  const nx = traces.length / nt;
  const rows = 80;
  const end_s = nt * said.dt_s;
  const ticks = Array.from({ length: Math.floor(end_s / 0.2) + 1 }, (_, k) => [
    (0.2 * k).toFixed(1),
    (0.2 * k * rows) / end_s - 0.5,
  ]);
  // A receiver at each point between the layers.
  const across = metres("x", nx, { layers: 0, spacing_m: said.spacing_m });
  const { figure, paint } = panel(title, nx, rows, across, { label: "time (s)", ticks });
  const draw = (level) =>
    paint(
      (x, row) => {
        const k = Math.floor((row * nt) / rows);
        return k > level ? 0 : traces[x * nt + k] / 127;
      },
      () => 0,
    );
  return { figure, draw };
}

// ---- time

function show(said, draw) {
  film = { ...said, draw };
  const field = byId("time");
  field.max = String(said.levels.length - 1);
  goTo(0);
  play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
}

function goTo(k) {
  frame = k;
  byId("time").value = String(k);
  film.draw(k);
  const level = film.levels[k];
  byId("when").textContent =
    `${(level * film.dt_s).toFixed(3)} s, level ${level} of ${film.nt}`;
  document.documentElement.dataset.frame = String(k);
}

function play(on) {
  clearInterval(timer);
  timer = 0;
  byId("play").textContent = on ? "Pause" : "Play";
  if (!on) return;
  timer = setInterval(() => {
    if (document.hidden) return;
    if (frame + 1 < film.levels.length) goTo(frame + 1);
    else play(false);
  }, STANDS);
}

// ---- controls

function count(what) {
  const data = document.documentElement.dataset;
  data[what] = String(Number(data[what] ?? 0) + 1);
}

function tell(text, kind) {
  byId("status").textContent = text;
  byId("status").className = kind;
}

function start() {
  const soon = later(350, shoot);
  fill(
    byId("sliders"),
    SLIDERS.map(([key, words, unit, min, max, step, first]) => {
      values[key] = first;
      const shown = el("output", {}, `${first} ${unit}`);
      const field = el("input", {
        type: "range",
        id: `at-${key}`,
        min: String(min),
        max: String(max),
        step: String(step),
        oninput: (event) => {
          values[key] = Number(event.target.value);
          shown.textContent = `${values[key]} ${unit}`;
          if (key !== "shots") soon();
        },
      });
      field.value = String(first);
      return el("div", { class: "slider" }, el("label", { for: `at-${key}` }, words), field, shown);
    }),
  );
  byId("absorbing").addEventListener("change", shoot);
  byId("shoot").addEventListener("click", shoot);
  byId("image").addEventListener("click", image);
  byId("play").addEventListener("click", () => {
    if (!film) return;
    if (!timer && frame + 1 === film.levels.length) goTo(0);
    play(!timer);
  });
  byId("time").addEventListener("input", (event) => {
    if (!film) return;
    play(false);
    goTo(Number(event.target.value));
  });
  shoot();
}

start();
