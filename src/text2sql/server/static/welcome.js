/** The start view: the source, and example questions for this database. */
import { button, fill, h, icon } from "./dom.js";

export function welcome(chat) {
  const { t, catalog, source } = chat;
  const here = chat.sources.find((one) => one.name === source);
  const n = catalog?.tables.length ?? 0;
  const about = !catalog ? t("welcome.reading") : n ? t("welcome.about", { name: source, product: here?.product ?? catalog.dialect, n }) : t("welcome.empty");
  const tries = suggestions(t, catalog?.tables ?? []);
  fill(chat.shell.log, h("div", { class: "welcome" }, icon("database"), h("h1", {}, t("welcome.title")), h("p", { class: "note" }, about),
    tries.length ? h("div", { class: "tries", role: "group", "aria-label": t("welcome.try") }, tries.map((one) => button(one, () => chat.ask(one), { class: "try" }))) : null));
}

/** Example questions, one for each kind that the columns support. */
export function suggestions(t, tables, most = 4) {
  const real = tables.filter((one) => one.kind !== "view").sort((a, b) => weight(b) - weight(a));
  const is = (column, pattern) => pattern.test(column.type);
  const key = (table, column) => table.primary_key?.includes(column.name) || table.foreign_keys?.some((one) => one.columns.includes(column.name)) || /(^|_)id$/i.test(column.name);
  const kinds = [
    ["try.group", (table, one) => is(one, /char|text|enum|string/i) && few(one) && !/name|email|phone|comment|title/i.test(one.name)],
    ["try.top", (table, one) => is(one, /num|dec|real|float|double|money/i) && table.columns.some((other) => /name|title/i.test(other.name))],
    ["try.month", (_, one) => is(one, /date|time/i)],
    ["try.average", (_, one) => is(one, /num|dec|real|float|double|money/i)],
  ];
  const used = new Set();
  const found = [];
  for (const [words, suits] of kinds) {
    const pair = real.filter((one) => !used.has(one.name)).flatMap((table) => table.columns.filter((one) => !key(table, one) && suits(table, one)).map((column) => [table, column]))[0];
    if (!pair) continue;
    used.add(pair[0].name);
    found.push(t(words, { table: spoken(pair[0].name), column: spoken(pair[1].name) }));
  }
  const rest = real.filter((one) => !used.has(one.name)).map((one) => t("try.count", { table: spoken(one.name) }));
  return [...found, ...rest].slice(0, most);
}

const few = (column) => column.samples?.length > 0 && column.samples.every((one) => one.length < 24);
const spoken = (name) => name.replace(/_/g, " ");
const weight = (table) => Math.log10((table.rows ?? 10) + 1) + table.columns.length / 10 + (table.foreign_keys?.length ?? 0) / 2;
