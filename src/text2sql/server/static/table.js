/** The result table: sorting, paging, copying, exporting, keyboard navigation. Values are always text. */
import { button, copyText, fill, h, icon, iconButton, save } from "./dom.js";
import { isNumber, numberFormat } from "./numbers.js";

const SIZES = [25, 50, 100];
const FORMATS = ["csv", "xlsx", "parquet", "json"];
const collator = new Intl.Collator(undefined, { numeric: true });

export function tableSection(chat, answer) {
  const { t } = chat;
  const held = { page: 1, size: SIZES[0], sort: null, descending: false, total: answer.rows.length };
  const grid = h("div", { class: "grid-scroll" });
  const foot = h("div", { class: "row table-foot" });
  // Complete results are sorted and paged here, others by the server.
  const partial = Boolean(answer.result_id) && answer.truncated;
  let latest = 0; // if two pages are requested, show the later one
  const show = async (focus) => {
    const mine = ++latest;
    const page = partial && (held.page > 1 || held.sort !== null || held.size > answer.rows.length) ? await fetched(chat, answer, held) : local(answer, held);
    if (mine !== latest) return;
    fill(grid, drawn(chat, answer, page, held, (column) => { sortBy(held, column); show("th"); }));
    fill(foot, footer(chat, answer, page, held, () => show()));
    if (focus) grid.querySelector(`th[data-at="${held.sort ?? 0}"] button`)?.focus();
  };
  show();
  return h("div", { class: "table" }, grid, foot);
}

function sortBy(held, column) {
  const again = held.sort === column;
  [held.sort, held.descending] = again && held.descending ? [null, false] : [column, again];
  held.page = 1;
}

function local(answer, held) {
  const rows = held.sort === null ? answer.rows : [...answer.rows].sort((a, b) => compared(a[held.sort], b[held.sort], held.descending));
  const from = (held.page - 1) * held.size;
  return { rows: rows.slice(from, from + held.size), total: held.total, pages: Math.max(1, Math.ceil(held.total / held.size)) };
}

/** NULL is last in both directions. */
export function compared(one, other, descending) {
  if (one === null || other === null) return (one === null) - (other === null);
  const [left, right] = [comparable(one), comparable(other)];
  const order = left !== null && right !== null ? (left < right ? -1 : Number(left > right)) : collator.compare(shownValue(one), shownValue(other));
  return descending ? -order : order;
}

const comparable = (value) => (!isNumber(value) ? null : typeof value === "string" ? Number(value) : value);

/** The sort key of a column: its name, or its number if the name is ambiguous. */
const calledOnce = (columns, at) => (columns.indexOf(columns[at]) === at ? columns[at] : at + 1);

const sorted = (answer, held) => (held.sort === null ? {} : { sort: calledOnce(answer.columns, held.sort), descending: held.descending });

async function fetched(chat, answer, held) {
  const asked = new URLSearchParams({ page: held.page, page_size: held.size, ...sorted(answer, held) });
  try {
    const got = await chat.api.get(`api/v1/results/${encodeURIComponent(answer.result_id)}?${asked}`);
    held.total = got.total_count;
    return { rows: got.rows, total: got.total_count, pages: Math.max(1, got.total_pages) };
  } catch (error) {
    if (error.status === 404) chat.shell.toast(chat.t("table.unsorted"));
    else chat.fault(error);
    held.total = answer.rows.length;
    const here = local(answer, held);
    held.page = Math.min(held.page, here.pages);
    return local(answer, held);
  }
}

// -- the grid ---------------------------------------------------------------------------------------

function drawn(chat, answer, page, held, sort) {
  const { t } = chat;
  const numeric = answer.columns.map((_, at) => answer.rows.some((row) => isNumber(row[at])) && answer.rows.every((row) => row[at] === null || isNumber(row[at])));
  const head = (answer.labels?.length ? answer.labels : answer.columns).map((name, at) => {
    const active = held.sort === at;
    const mark = active ? (held.descending ? "descending" : "ascending") : "sort";
    return h("th", { scope: "col", "data-at": at, class: numeric[at] ? "number" : "", "aria-sort": active ? mark : "none" },
      h("button", { type: "button", title: t("table.sort", { column: name }), onclick: () => sort(at) }, h("span", {}, name), icon(mark)));
  });
  const written = answer.columns.map((name, at) => (numeric[at] ? numberFormat(name, answer.rows.map((row) => row[at]), chat.lang) : null));
  const rows = page.rows.map((row, y) => h("tr", {}, row.map((value, x) => cell(value, written[x], x === 0 && y === 0))));
  const empty = h("tr", {}, h("td", { class: "none", colspan: Math.max(1, answer.columns.length), tabindex: 0 }, t("table.none")));
  return h("table", { role: "grid", "aria-label": t("table.caption"), "aria-rowcount": page.total + 1, onkeydown: move },
    h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows.length ? rows : empty));
}

/** A formatted number with its exact value as tooltip. */
function cell(value, written, first) {
  const exact = shownValue(value);
  const text = written && isNumber(value) ? written(value) : exact;
  const long = text.length > 60;
  const title = long || (written && Number(text.replaceAll(",", "")) !== Number(exact)) ? exact.slice(0, 2_000) : null;
  return h("td", { tabindex: first ? 0 : -1, class: `${written ? "number" : ""} ${value === null ? "null" : ""} ${long ? "long" : ""}`.trim(), title }, text);
}

function move(event) {
  const from = event.target.closest("td");
  if (!from) return;
  const row = from.parentElement;
  const at = [...row.children].indexOf(from);
  const to = {
    ArrowLeft: from.previousElementSibling, ArrowRight: from.nextElementSibling, Home: row.firstElementChild, End: row.lastElementChild,
    ArrowUp: row.previousElementSibling?.children[at], ArrowDown: row.nextElementSibling?.children[at],
  }[event.key];
  if (event.key === "Enter") from.classList.toggle("whole");
  else if (to) {
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  } else return;
  event.preventDefault();
}

export function shownValue(value) {
  if (value === null || value === undefined) return "NULL";
  return typeof value === "object" ? JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one)) : String(value);
}

// -- copy and export --------------------------------------------------------------------------------

function footer(chat, answer, page, held, show) {
  const { t } = chat;
  const go = (to) => { held.page = to; show(); };
  const more = answer.truncated && page.total <= answer.rows.length;
  const count = h("span", { class: "count" }, t(more ? "table.cut" : "table.rows", { n: page.total, count: page.total.toLocaleString(chat.lang) }));
  const pager = page.pages > 1 && h("div", { class: "row pager" },
    iconButton("left", t("table.previous"), () => go(held.page - 1), { disabled: held.page <= 1 }),
    h("span", { class: "where" }, t("table.page", { page: held.page, pages: page.pages })),
    iconButton("chevron", t("table.next"), () => go(held.page + 1), { disabled: held.page >= page.pages }));
  const size = page.total > SIZES[0] && h("select", { "aria-label": t("table.size"), title: t("table.size"), onchange: (event) => { held.size = Number(event.target.value); go(1); } },
    SIZES.map((one) => h("option", { value: one, selected: one === held.size }, one)));
  return [count, pager, size, h("span", { class: "space" }), copying(chat, answer), answer.result_id && exporting(chat, answer, held)];
}

function copying(chat, answer) {
  const one = button(chat.t("table.copy"), async () => {
    chat.shell.toast(chat.t((await copyText(tabbed(answer), one)) ? "table.copied" : "table.uncopied"));
  }, { name: "copy", class: "button small" });
  return one;
}

/** Escape texts that a spreadsheet would read as formulas. */
export function tabbed(answer) {
  const safe = (value) => {
    if (value === null) return "";
    const text = shownValue(value).replace(/[\t\r\n]+/g, " ");
    return typeof value === "string" && /^[=+\-@]/.test(text) ? `'${text}` : text;
  };
  return [answer.columns, ...answer.rows].map((row) => row.map(safe).join("\t")).join("\n");
}

/** In the displayed order. */
function exporting(chat, answer, held) {
  const { t } = chat;
  const take = async (format) => {
    menu.open = false;
    chat.shell.toast(t("table.exporting"));
    try {
      const { blob, name } = await chat.api.file(`api/v1/results/${encodeURIComponent(answer.result_id)}/export?${new URLSearchParams({ format, ...sorted(answer, held) })}`, `result.${format}`);
      save(blob, name);
      chat.shell.toast(name);
    } catch (error) {
      chat.fault(error);
    }
  };
  const menu = h("details", { class: "menu", onkeydown: (event) => { if (event.key === "Escape") { event.stopPropagation(); menu.open = false; menu.firstElementChild.focus(); } } },
    h("summary", { class: "button small" }, icon("download"), h("span", {}, t("table.export"))),
    h("div", { class: "menu-list" }, FORMATS.map((one) => h("button", { type: "button", onclick: () => take(one) }, { csv: "CSV", xlsx: "Excel", parquet: "Parquet", json: "JSON" }[one]))));
  return menu;
}
