"use strict";
// Search in all sections. The index is a script that is loaded when somebody first searches.
const box = document.getElementById("q");
const found = document.getElementById("found");
const count = document.getElementById("count");
let index = null;

// The list of pages is open where there is room beside the text.
const wide = matchMedia("(min-width: 60.01rem)");
const pages = document.querySelector(".pages details");
const unfold = () => { pages.open = wide.matches; };
wide.addEventListener("change", unfold);
unfold();

function load(then) {
  if (index) { then(); return; }
  const script = document.createElement("script");
  script.src = "search-index.js";
  script.onload = () => {
    index = window.BOOK.map(([page, anchor, title, heading, text]) =>
      ({ page, anchor, title, heading, text, low: (heading + " " + text).toLowerCase(),
         lowHeading: heading.toLowerCase() }));
    then();
  };
  document.head.append(script);
}

// Every word must be there; words in the heading count more.
function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.replaceChildren();
  count.textContent = "";
  if (!words.length) return;
  const hits = [];
  for (const section of index) {
    let score = 0;
    for (const word of words) {
      const often = section.low.split(word).length - 1;
      if (!often) { score = 0; break; }
      score += Math.min(often, 5) + (section.lowHeading.includes(word) ? 20 : 0);
    }
    if (score) hits.push([score, section]);
  }
  hits.sort((a, b) => b[0] - a[0]);
  count.textContent = hits.length === 1 ? "1 section" : hits.length + " sections";
  for (const [, section] of hits.slice(0, 30)) {
    const link = document.createElement("a");
    link.href = section.page + ".html" + (section.anchor ? "#" + section.anchor : "");
    const heading = document.createElement("b");
    heading.textContent = section.heading;
    const where = document.createElement("span");
    const at = Math.max(0, section.text.toLowerCase().indexOf(words[0]) - 40);
    where.textContent = section.title + ": " + section.text.slice(at, at + 140);
    link.append(heading, where);
    const item = document.createElement("li");
    item.append(link);
    found.append(item);
  }
}

function close() {
  box.value = "";
  found.replaceChildren();
  count.textContent = "";
}

box.addEventListener("input", () => load(search));
box.form.addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
found.addEventListener("click", () => setTimeout(close));
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    box.focus();
  } else if (event.key === "Escape" && box.form.contains(document.activeElement)) {
    close();
    box.focus();
  } else if (/^Arrow(Up|Down)$/.test(event.key) && box.form.contains(document.activeElement)) {
    const stops = [box, ...found.querySelectorAll("a")];
    const to = stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (stops[to]) { event.preventDefault(); stops[to].focus(); }
  }
});

// A link to what was searched: `index.html?q=bank`.
const asked = new URLSearchParams(location.search).get("q");
if (asked) { box.value = asked; load(search); }

// Where the book is a part of the course's pages, each kernel that it shows opens in the
// playground, with the launch of the command below it.
const home = document.querySelector("header .home");

function launchBelow(pre) {
  const command = "$ cargo lab kernel " + pre.dataset.kernel + " ";
  let below = pre.nextElementSibling;
  while (below && !below.textContent.startsWith(command)) {
    below = below.matches("h1, h2, h3, [data-kernel]") ? null : below.nextElementSibling;
  }
  const words = below ? below.textContent.slice(command.length).split("\n")[0].split(" ") : [];
  const option = (name) => words[words.indexOf(name) + 1];
  const launch = {};
  if (words.includes("--grid")) launch.grid = option("--grid");
  if (words.includes("--block")) launch.block = option("--block");
  if (words.includes("--shared")) launch.shared = option("--shared");
  if (words.includes("--kernel")) launch.kernel = option("--kernel");
  if (words.includes("--global")) {
    const sizes = (name) => (words.includes(name) ? option(name) : "1").split(",").map(Number);
    const local = sizes("--local");
    launch.block = local.join(",");
    launch.grid = sizes("--global").map((n, k) => Math.ceil(n / (local[k] ?? 1))).join(",");
  }
  launch.args = {};
  for (const word of words) {
    const found = /^(\w+)=(.+)$/.exec(word);
    if (found) launch.args[found[1]] = found[2];
  }
  return launch;
}

for (const pre of home ? document.querySelectorAll("pre[data-kernel]") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Open in the playground";
  button.addEventListener("click", async () => {
    const { pack } = await import(new URL("js/link.js", home.href));
    const name = pre.dataset.kernel.split("/").pop() || "kernel.cu";
    const program = { file: name, text: pre.textContent, ...launchBelow(pre) };
    location.href = new URL("playground.html#" + await pack(program), home.href);
  });
  pre.after(button);
}

// On paper all folds are open.
addEventListener("beforeprint", () => {
  document.querySelectorAll("article details").forEach((fold) => { fold.open = true; });
});
