// Making elements, without ever reading text as HTML.

/** An element: `attributes` with `on...` are listeners, `class` and `data-...` as in HTML. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

/** An element of a drawing; numbers are written as they are. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...present(children));
  return node;
}

/** The children without those that a condition has left out. */
function present(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false);
}

/** Puts children in place of what a node holds. */
export function fill(node, ...children) {
  node.replaceChildren(...present(children));
}

/** The element called `id`; a page without it is a mistake of ours. */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no #${id}`);
  return node;
}

/** 1234567 as 1,234,567. */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 1234567 as 1.2M: at most four characters. */
export function short(number) {
  const units = ["", "k", "M", "G", "T"];
  let unit = 0;
  while (number >= 999.5 && unit + 1 < units.length) {
    number /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && number < 9.95 ? 1 : 0;
  return number.toFixed(digits) + units[unit];
}

/** Calls `f` when `wait` ms have passed without another call. */
export function later(wait, f) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(f, wait);
  };
}

/** Makes the buttons of a `role=tablist` show their panels; arrows move between them. */
export function tabs(list) {
  const all = [...list.querySelectorAll("[role=tab]")];
  const show = (tab, focus) => {
    for (const other of all) {
      const on = other === tab;
      other.setAttribute("aria-selected", String(on));
      other.tabIndex = on ? 0 : -1;
      byId(other.getAttribute("aria-controls")).hidden = !on;
    }
    if (focus) tab.focus();
    tab.dispatchEvent(new CustomEvent("shown", { bubbles: true }));
  };
  for (const tab of all) {
    tab.addEventListener("click", () => show(tab, false));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      show(all[(all.indexOf(tab) + step + all.length) % all.length], true);
    });
  }
  return (id) => show(byId(id), false);
}
