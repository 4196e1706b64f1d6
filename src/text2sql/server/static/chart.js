/** Renders Vega-Lite charts under a CSP without eval: expressions are interpreted, not compiled. */
import { fill, h, iconButton, save } from "./dom.js";
import { named } from "./words.js";

const FIRST = "#0072B2"; // the first color of charts/axes.py, too dark for a dark background
const WIDEST = 76; // pixels of a bar
const LETTER = 6; // pixels of a digit above a bar

let library; // shared by the page, loaded with the first chart

const refuse = async () => { throw new Error("a chart fetches nothing"); };
const LOADER = { load: refuse, sanitize: refuse, http: refuse, file: refuse };

export function chartSection(chat, answer) {
  const { t } = chat;
  const frame = h("div", { class: "chart-frame" });
  const kinds = h("div", { class: "segments", role: "group", "aria-label": t("chart.kind") });
  const tip = h("div", { class: "tip", hidden: true });
  const held = described(answer.chart ?? {});
  const path = (end) => `api/v1/results/${encodeURIComponent(answer.result_id)}/${end}`;
  const show = async () => {
    fill(kinds, held.kinds.map((one) => h("button", { type: "button", "aria-pressed": String(one === held.kind), onclick: () => change(one, true) }, named(t, "kind", one))));
    await draw(chat, frame, tip, held, t("chart.alt", { kind: named(t, "kind", held.kind), answer: answer.answer }));
  };
  const change = async (kind, chosen = false) => {
    try {
      Object.assign(held, described(await chat.api.get(path("chart") + (kind ? `?kind=${encodeURIComponent(kind)}` : ""))));
      await show();
      if (chosen) [...kinds.children].find((one) => one.getAttribute("aria-pressed") === "true")?.focus();
    } catch (error) {
      if (held.spec) chat.fault(error);
      else fill(frame, h("p", { class: "note" }, chat.explained(error).message));
    }
  };
  const keep = async (format) => {
    try {
      const { blob, name } = await chat.api.file(`${path(`chart.${format}`)}?kind=${encodeURIComponent(held.kind)}`, `chart.${format}`);
      save(blob, name);
    } catch (error) {
      chat.fault(error);
    }
  };
  const saving = answer.result_id && h("div", { class: "row" }, ["png", "svg"].map((one) => iconButton("download", t("chart.save", { format: one.toUpperCase() }), () => keep(one), { class: "icon-button labelled", "data-label": one.toUpperCase() })));
  if (held.spec) show();
  else change(held.kind);
  const section = h("div", { class: "chart" }, h("div", { class: "row chart-tools" }, kinds, h("span", { class: "space" }), saving), frame, tip);
  section.redraw = show; // redrawn when the theme changes
  return section;
}

/** Normalize to {kind, kinds, spec}; answers may contain only the specification. */
function described(chart) {
  const spec = chart.spec ?? (chart.mark || chart.layer ? chart : null);
  const meta = spec?.usermeta?.text2sql ?? {};
  const kind = chart.kind ?? meta.kind ?? (typeof spec?.mark === "string" ? spec.mark : spec?.mark?.type) ?? "";
  const kinds = chart.kinds ?? meta.kinds ?? [];
  return { kind, kinds: kinds.includes(kind) || !kind ? kinds : [kind, ...kinds], spec };
}

async function draw(chat, frame, tip, held, label) {
  try {
    library ??= import(chat.api.url("vega.js"));
    const { embed } = await library;
    held.view?.finalize();
    // Remove the ARIA role that Vega sets: the label around it and the table are more useful.
    const place = h("div", { class: "chart-place", "aria-hidden": "true" });
    fill(frame, h("div", { role: "img", "aria-label": label }, place));
    const options = { ast: true, actions: false, defaultStyle: false, renderer: "svg", loader: LOADER, config: colours(frame), tooltip: shower(tip), theme: undefined };
    held.view = await embed(place, harmless(held.spec, frame.clientWidth, options.config.mark.color), options);
  } catch (error) {
    library = undefined;
    fill(frame, h("p", { class: "note" }, chat.t("chart.missing")));
    console.warn(error);
  }
}

/** A copy that fits the container, without embed options, which a specification must not control.
 * The title repeats the question, so only the subtitle is kept.
 */
function harmless(spec, room, first) {
  const told = JSON.stringify(spec, (key, one) => (typeof one === "bigint" ? Number(one) : key === "color" && one === FIRST ? first : one));
  const { usermeta, title, ...kept } = JSON.parse(told);
  const notes = title?.subtitle;
  const heading = notes ? { title: { text: "", subtitle: notes, anchor: "start" } } : {};
  const fitting = { ...kept, ...heading, ...sized(kept, room), background: "transparent" };
  return crowded(kept, room) ? { ...fitting, layer: kept.layer.filter((one) => !isText(one)) } : fitting;
}

const isText = (layer) => layer.mark?.type === "text";

/** Whether the numbers above the bars would overlap. */
function crowded(spec, room) {
  const told = (spec.layer ?? []).filter(isText).flatMap((one) => one.data?.values ?? []);
  if (!spec.width?.step || !told.length) return false;
  const longest = Math.max(...told.map((one) => String(one.t).length));
  return longest * LETTER > (room - 70) / new Set(told.map((one) => one.x)).size;
}

/** Stretch charts to the available width, except for charts with few bars. */
function sized(spec, room) {
  if (spec.encoding?.theta && room > 480) return {};
  const across = new Set((spec.data?.values ?? []).map((one) => one.x)).size;
  const gap = spec.width?.step ? Math.max(0.12, 1 - (WIDEST * across) / (room - 90)) : 0.12;
  const scale = { barBandPaddingInner: gap, bandPaddingOuter: gap / 2 };
  const height = spec.height?.step ? { height: spec.height.step * across } : {}; // Vega-Lite warns of a step that is to fit
  return { ...height, width: "container", autosize: { type: "fit-x", contains: "padding" }, config: { ...spec.config, scale } };
}

function colours(near) {
  // A theme color is a light-dark pair until an element resolves it.
  const used = near.appendChild(h("i", {}));
  const told = getComputedStyle(used);
  const of = (name) => { used.style.color = `var(${name})`; return told.color; };
  const text = { labelColor: of("--muted"), titleColor: of("--muted"), labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 };
  const config = {
    font: told.fontFamily, view: { stroke: null }, text: { fill: of("--ink") }, rule: { color: of("--muted") }, mark: { color: of("--series") },
    axis: { ...text, gridColor: of("--line"), domainColor: of("--line-strong"), tickColor: of("--line-strong"), labelLimit: 160 },
    legend: text, header: text, title: { color: of("--ink"), subtitleColor: of("--muted"), subtitleFontSize: 12 },
  };
  used.remove();
  return config;
}

/** A tooltip as plain text; Vega-Tooltip would write HTML. */
function shower(tip) {
  return (_, event, __, value) => {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    const facts = typeof value === "object" ? Object.entries(value) : [["", value]];
    fill(tip, facts.map(([name, one]) => h("div", {}, name && h("span", { class: "tip-name" }, name), h("b", {}, String(one)))));
    const room = tip.parentElement.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX - room.left + 14, room.width - tip.offsetWidth - 4)}px`;
    tip.style.top = `${event.clientY - room.top + 14}px`;
  };
}
