/** Displays and edits a query. Highlighting is cosmetic; the guard on the server decides what may run. */
import { button, copyText, fill, h, icon } from "./dom.js";

const KEYWORDS = new Set(
  `all and any as asc between by case cast cross current delete desc distinct else end escape except exists false fetch filter
  first following for from full group having ilike in inner insert intersect interval into is join last lateral left like limit
  natural not null nulls offset on only or order outer over partition preceding qualify range recursive returning right row rows
  select set similar some then ties true unbounded union unnest update using values when where window with within`.split(/\s+/),
);
// An unterminated token (the text is streamed) extends to the end.
const TOKEN = /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*(?:'|$))|("(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$))|(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_$]*)(\s*\()?|(\s+)|([^\s])/giu;

/** Tokenize into [kind, text] pairs; the joined texts equal the input. */
export function pieces(sql) {
  const found = [];
  for (const [whole, comment, text, name, number, word, opens] of sql.matchAll(TOKEN)) {
    if (comment) found.push(["comment", comment]);
    else if (text) found.push(["text", text]);
    else if (name) found.push(["name", name]);
    else if (number) found.push(["number", number]);
    else if (word) {
      const kind = KEYWORDS.has(word.toLowerCase()) ? "keyword" : opens ? "function" : "name";
      found.push([kind, word], ...(opens ? [["", opens]] : []));
    } else found.push(["", whole]);
  }
  return found;
}

export function coloured(sql) {
  return pieces(sql).map(([kind, text]) => (kind ? h("span", { class: `sql-${kind}` }, text) : text));
}

export function sqlSection(chat, sql, { open = false, run = null } = {}) {
  const { t } = chat;
  const body = h("div", { class: "sql-body" });
  const details = h("details", { class: "fold sql", open }, h("summary", {}, icon("chevron"), icon("code"), h("span", {}, t("sql.title"))), body);
  const shown = () => {
    const told = h("span", {}, t("sql.copy"));
    const copy = h("button", { type: "button", class: "button small", onclick: async () => {
      told.textContent = t((await copyText(sql, body)) ? "table.copied" : "table.uncopied");
    } }, icon("copy"), told);
    const edit = run && button(t("sql.edit"), () => editing(sql), { name: "edit", class: "button small" });
    fill(body, h("pre", { tabindex: 0, class: "code", "aria-label": t("sql.title") }, h("code", {}, coloured(sql))), h("div", { class: "row tools" }, copy, edit));
    return edit;
  };
  const editing = (text) => {
    const field = editor(chat, text, () => { shown(); run(field.value); }, () => shown()?.focus());
    fill(body, field.whole);
    field.input.focus();
  };
  shown();
  return details;
}

/** A text field with a highlighted copy underneath. */
function editor({ t }, text, done, cancel) {
  const beneath = h("code", { "aria-hidden": "true" });
  const paint = () => fill(beneath, coloured(input.value), "\n");
  const input = h("textarea", { value: text, spellcheck: "false", autocapitalize: "off", "aria-label": t("sql.field"), oninput: paint,
    onkeydown: (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); done(); }
      else if (event.key === "Escape") { event.stopPropagation(); cancel(); }
    } });
  paint();
  const whole = h("div", { class: "editor" },
    h("div", { class: "code overlay" }, h("pre", {}, beneath), input),
    h("p", { class: "note" }, t("sql.guarded")),
    h("div", { class: "row tools" },
      button(t("sql.run"), done, { name: "play", class: "button small primary" }),
      button(t("sql.cancel"), cancel, { class: "button small" })));
  return { whole, input, get value() { return input.value; } };
}
