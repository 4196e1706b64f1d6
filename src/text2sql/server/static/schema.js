/** The schema browser with search; clicking a name inserts it into the question. */
import { fill, h, icon } from "./dom.js";

const MOST = 120; // tables shown at once; search finds the others

export class SchemaBrowser {
  constructor(chat) {
    this.chat = chat;
    this.tables = [];
    this.schema = "";
    this.wanted = "";
    this.element = h("div", { class: "schema" });
  }

  holds(catalog) {
    this.tables = catalog?.tables ?? [];
    this.schema = catalog?.default_schema ?? "";
    this.render();
  }

  render() {
    const { t } = this.chat;
    const list = h("div", { class: "tables" });
    const count = h("p", { class: "note", role: "status" });
    const look = () => {
      const found = this.found();
      fill(count, t("schema.found", { n: found.length }));
      fill(list, found.slice(0, MOST).map((one) => this.table(one)),
        found.length > MOST && h("p", { class: "note" }, t("schema.more", { n: found.length - MOST })),
        !found.length && this.tables.length ? h("p", { class: "note" }, t("schema.none")) : null);
    };
    const field = h("input", { type: "search", value: this.wanted, placeholder: t("schema.search"), "aria-label": t("schema.search"), autocomplete: "off", spellcheck: "false",
      oninput: () => { this.wanted = field.value; look(); } });
    fill(this.element, h("div", { class: "search" }, icon("search"), field), count, list);
    look();
  }

  /** Tables that match by name first, then by column or comment. */
  found() {
    const words = this.wanted.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return this.tables;
    const has = (text) => words.every((word) => text.toLowerCase().includes(word));
    const named = this.tables.filter((one) => has(this.name(one)));
    const about = (one) => [this.name(one), one.comment, ...one.columns.flatMap((column) => [column.name, column.comment])].join(" ");
    return [...named, ...this.tables.filter((one) => !named.includes(one) && has(about(one)))];
  }

  name(table) {
    return table.schema && table.schema !== this.schema ? `${table.schema}.${table.name}` : table.name;
  }

  table(table) {
    const { t, lang } = this.chat;
    const rows = table.rows === null || table.rows === undefined ? "" : t("schema.rows", { n: table.rows.toLocaleString(lang) });
    const columns = h("ul", {});
    const details = h("details", { ontoggle: () => { if (details.open && !columns.childElementCount) fill(columns, table.columns.map((one) => this.column(table, one))); } },
      h("summary", {}, icon("chevron"), icon(table.kind === "view" ? "view" : "table"), h("span", { class: "name" }, this.name(table)),
        h("span", { class: "about" }, table.kind === "view" ? t("schema.view") : rows)),
      table.comment && h("p", { class: "note" }, table.comment),
      columns);
    if (this.wanted && !this.name(table).toLowerCase().includes(this.wanted.toLowerCase())) details.open = true;
    return details;
  }

  column(table, column) {
    const { t } = this.chat;
    const key = table.primary_key?.includes(column.name);
    const refers = table.foreign_keys?.find((one) => one.columns.includes(column.name));
    const to = refers ? `${refers.table}(${refers.referred.join(", ")})` : "";
    const full = `${this.name(table)}.${column.name}`;
    const notes = [column.comment, column.samples?.length ? column.samples.map((one) => `“${one}”`).join(" ") : ""].filter(Boolean).join(" · ");
    return h("li", {},
      h("button", { type: "button", title: t("schema.insert", { name: full }), onclick: () => this.chat.insert(column.name) },
        h("span", { class: "name" }, column.name), h("span", { class: "type" }, column.type),
        key && mark("key", t("schema.key")), refers && mark("link", t("schema.refers", { to }))),
      notes && h("p", { class: "note" }, notes));
  }
}

function mark(name, label) {
  return h("span", { class: "mark", title: label }, icon(name), h("span", { class: "unseen" }, label));
}
