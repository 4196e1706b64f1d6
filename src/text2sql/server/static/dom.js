/** Creates DOM elements; content is always text. No code in this folder parses HTML. */

const PROPERTIES = new Set(["value", "checked", "disabled", "open", "selected", "hidden", "inert", "htmlFor"]);

export function h(tag, facts = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) node[name] = value;
    else if (value !== false) node.setAttribute(name === "className" ? "class" : name, value === true ? "" : String(value));
  }
  return put(node, ...children);
}

export function put(node, ...children) {
  node.append(...children.flat(3).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
}

export function fill(node, ...children) {
  node.replaceChildren();
  return put(node, ...children);
}

/** 20 × 20, drawn as strokes in the text color. */
const ICONS = {
  send: "M10 16V4m-5 5 5-5 5 5",
  stop: "M6 6h8v8H6z",
  plus: "M10 4v12M4 10h12",
  menu: "M3 6h14M3 10h14M3 14h14",
  close: "m5 5 10 10M15 5 5 15",
  search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12Zm4.500-1.500L17 17",
  chat: "M4 4h12v9H9l-4 3.500V13H4z",
  table: "M3 4h14v12H3zM3 8.500h14M8 8.500V16",
  database: "M4 5.500C4 4 6.700 3 10 3s6 1 6 2.500S13.300 8 10 8 4 7 4 5.500Zm0 0v9C4 16 6.700 17 10 17s6-1 6-2.500v-9M4 10c0 1.500 2.700 2.500 6 2.500s6-1 6-2.500",
  view: "M2.500 10S5 5 10 5s7.500 5 7.500 5-2.500 5-7.500 5-7.500-5-7.500-5ZM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4",
  key: "M7 12.500a3.500 3.500 0 1 1 3.300-4.500H17v3h-2v-1m-4.700 0A3.500 3.500 0 0 1 7 12.500",
  link: "M8 12 12 8M9 6l1.500-1.500a3.500 3.500 0 0 1 5 5L14 11m-3 3-1.500 1.500a3.500 3.500 0 0 1-5-5L6 9",
  sun: "M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm0-10V2m0 16v-1m7-7h1M2 10h1m12-5 .7-.7M4.300 15.700 5 15m10 0 .7.7M4.300 4.300 5 5",
  moon: "M16 12A6.500 6.500 0 0 1 8 4a6.500 6.500 0 1 0 8 8Z",
  auto: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm0 0v14m2.500-13v12M15 6v8",
  copy: "M7 7h9v10H7zM4 13V3h9",
  download: "M10 3v9m-4-4 4 4 4-4M4 16h12",
  edit: "m4 16 1-4 8.500-8.500 3 3L8 15z",
  play: "M6 4v12l10-6z",
  trash: "M4 6h12M8 6V4h4v2m-6.500 0 .7 10h7.600l.7-10",
  up: "M6 9v8H3V9zm0 0 4-6c1.500 0 2 1 2 2v3h4c1 0 1.500.8 1.300 1.800l-1.200 5.700c-.2.900-.8 1.500-1.800 1.500H6",
  down: "M6 11V3H3v8zm0 0 4 6c1.500 0 2-1 2-2v-3h4c1 0 1.500-.8 1.300-1.800l-1.200-5.700C15.900 3.600 15.300 3 14.300 3H6",
  check: "m4 10.500 4 4 8-9",
  cross: "m5 5 10 10M15 5 5 15",
  warn: "M10 3 2.500 16.500h15zm0 5v4m0 2.500v.1",
  ask: "M7.500 7.500a2.500 2.500 0 1 1 3.700 2.200c-.8.500-1.200 1-1.200 1.800m0 3v.1M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16Z",
  bars: "M4 16V9m4 7V4m4 12V8m4 8V6",
  shield: "M10 2.500 16 5v5c0 4-3 6.500-6 7.500-3-1-6-3.500-6-7.500V5z",
  retry: "M16 10a6 6 0 1 1-2-4.500L16 7m0-4v4h-4",
  chevron: "m8 5 5 5-5 5",
  left: "m12 5-5 5 5 5",
  receipt: "M5 3h10v14l-2.500-1.500L10 17l-2.500-1.500L5 17zM8 7h4m-4 3.500h4",
  sort: "m7 8 3-3 3 3m-6 4 3 3 3-3",
  ascending: "m6 12 4-4 4 4",
  descending: "m6 8 4 4 4-4",
  code: "m7 6-4 4 4 4m6-8 4 4-4 4",
  sparkle: "M10 3c.5 4 2.500 6.500 7 7-4.500.5-6.500 3-7 7-.5-4-2.500-6.500-7-7 4.500-.5 6.500-3 7-7Z",
};

const SVG = "http://www.w3.org/2000/svg";

export function icon(name) {
  const drawing = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", ICONS[name]);
  drawing.setAttribute("viewBox", "0 0 20 20");
  drawing.setAttribute("class", `icon icon-${name}`);
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(line);
  return drawing;
}

/** An icon button; its label is the accessible name and the tooltip. */
export function iconButton(name, label, onclick, facts = {}) {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...facts }, icon(name));
}

export function button(label, onclick, { name = "", ...facts } = {}) {
  return h("button", { type: "button", class: "button", onclick, ...facts }, name && icon(name), h("span", {}, label));
}

/** Copy text, with a fallback for pages without TLS, which have no clipboard API. True on success. */
export async function copyText(text, near) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea", { value: text, class: "unseen", "aria-hidden": "true", tabindex: -1 });
    near.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
