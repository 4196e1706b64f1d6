/** The card of an answer: sentence, chart, table, query and receipt. It only renders. */
import { chartSection } from "./chart.js";
import { button, fill, h, icon, iconButton } from "./dom.js";
import { isNumber } from "./numbers.js";
import { receiptSection } from "./receipt.js";
import { coloured, sqlSection } from "./sql.js";
import { tableSection } from "./table.js";

const CERTAINTIES = ["sure", "probably", "not_sure"];
const MARKS = { clarify: "ask", refused: "shield", no_data: "search", confirm: "warn", failed: "warn", stopped: "stop" };

export function answerCard(chat, turn) {
  const { answer, warnings } = turn;
  const plain = answer.status === "answered" || answer.status === "conversation";
  const writes = answer.status === "confirm";
  return h("div", { class: `card ${answer.status}` },
    !plain && h("p", { class: "badge" }, icon(MARKS[answer.status] ?? "warn"), chat.t(`status.${answer.status}`)),
    h("p", { class: "sentence" }, answer.answer || answer.error?.message || ""),
    certainty(chat, answer),
    answer.error?.hint && h("p", { class: "hint" }, answer.error.hint),
    warnings.map((one) => h("p", { class: "hint warning" }, icon("warn"), h("span", {}, one))),
    answer.receipt?.served && h("p", { class: "row note" }, chat.t("answer.served", { when: moment(answer.receipt.served, chat.lang) }),
      button(chat.t("answer.fresh"), () => chat.ask(turn.question, { fresh: true }), { name: "retry", class: "button small" })),
    answer.choices?.length ? choices(chat, answer.choices) : null,
    writes && h("pre", { class: "code", tabindex: 0, "aria-label": chat.t("confirm.title") }, h("code", {}, coloured(answer.sql))),
    writes && confirming(chat, answer),
    turn.expired ? expired(chat, turn) : answer.columns?.length ? result(chat, turn) : null,
    answer.sql && !writes ? sqlSection(chat, answer.sql, { open: answer.status === "refused", run: (sql) => chat.runSql(sql) }) : null,
    answer.receipt?.path?.length ? receiptSection(chat, answer.receipt) : null,
    answer.suggestions?.length && chat.isLast(turn) ? nextQuestions(chat, answer.suggestions) : null,
    foot(chat, turn));
}

/** The certainty of an answer in neutral words. Shows nothing if the field is missing. */
function certainty({ t }, { receipt }) {
  const how = receipt?.certainty;
  return CERTAINTIES.includes(how) ? h("p", { class: `certainty ${how}` }, t(`certainty.${how}`)) : null;
}

function expired(chat, turn) {
  return h("p", { class: "row note" }, chat.t("answer.expired"), button(chat.t("answer.rows_again"), () => turn.rows(), { name: "retry", class: "button small" }));
}

function moment(text, lang) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toLocaleString(lang, { dateStyle: "short", timeStyle: "short" });
}

function choices(chat, offered) {
  return h("fieldset", { class: "choices" }, h("legend", {}, chat.t("answer.choose")),
    offered.map((one, at) => h("button", { type: "button", class: "choice", onclick: () => chat.ask(one.label, { language: chat.lang }) },
      h("span", { class: "number" }, at + 1),
      h("span", {}, h("b", {}, one.label), one.question && one.question !== one.label && h("small", {}, one.question)))));
}

function nextQuestions(chat, suggested) {
  return h("div", { class: "row next", role: "group", "aria-label": chat.t("answer.next") },
    suggested.map((one) => button(one, () => chat.ask(one), { class: "button small" })));
}

function confirming(chat, answer) {
  const say = (yes) => chat.confirm(answer.thread_id, yes);
  return h("fieldset", { class: "choices row" }, h("legend", {}, chat.t("confirm.title")),
    button(chat.t("confirm.yes"), () => say(true), { name: "check", class: "button danger" }),
    button(chat.t("confirm.no"), () => say(false), { class: "button" }));
}

/** Chart and table as two tabs, or only the table if there is no chart. */
function result(chat, turn) {
  const { answer } = turn;
  if (!answer.chart && !worthDrawing(answer)) return h("div", { class: "result" }, tableSection(chat, answer));
  const made = {};
  const panel = h("div", { role: "tabpanel", id: `panel-${turn.number}` });
  const tabs = ["chart", "table"].map((name) => h("button", {
    type: "button", role: "tab", id: `tab-${turn.number}-${name}`, "aria-controls": `panel-${turn.number}`, onclick: () => show(name),
    onkeydown: (event) => { if (/^Arrow(Left|Right)$/.test(event.key)) { show(turn.tab === "chart" ? "table" : "chart").focus(); event.preventDefault(); } },
  }, icon(name === "chart" ? "bars" : "table"), chat.t(`tab.${name}`)));
  const show = (name) => {
    turn.tab = name;
    tabs.forEach((tab) => {
      const chosen = tab.id.endsWith(name);
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `tab-${turn.number}-${name}`);
    made[name] ??= name === "chart" ? (turn.chart = chartSection(chat, answer)) : tableSection(chat, answer);
    fill(panel, made[name]);
    return tabs.find((tab) => tab.tabIndex === 0);
  };
  show(turn.tab ?? (answer.chart ? "chart" : "table"));
  return h("div", { class: "result" }, h("div", { class: "tabs", role: "tablist", "aria-label": chat.t("tab.label") }, tabs), panel);
}

/** Whether a chart can be requested: the rows are stored and contain numbers. */
function worthDrawing({ rows, result_id: kept }) {
  return Boolean(kept) && rows.length > 1 && rows.some((row) => row.some(isNumber));
}

// -- feedback ----------------------------------------------------------------------------------------

function foot(chat, turn) {
  const { t } = chat;
  const { answer } = turn;
  const again = answer.status === "failed" || answer.status === "stopped" ? button(t("answer.retry"), () => chat.again(turn), { name: "retry", class: "button small" }) : null;
  if (answer.status !== "answered" || !answer.sql || turn.kind === "sql") return again && h("div", { class: "row foot" }, again);
  const place = h("div", { class: "row foot" });
  const thumbs = () => fill(place,
    iconButton("up", t("good"), () => send(true, ""), { "aria-pressed": String(turn.verdict === true) }),
    iconButton("down", t("bad"), () => why(), { "aria-pressed": String(turn.verdict === false) }),
    turn.verdict !== undefined && h("span", { class: "note", role: "status" }, t(turn.verdict ? "good.done" : "bad.done")));
  const send = async (good, comment) => {
    try {
      await chat.api.post("api/v1/feedback", { question: turn.question, sql: answer.sql, good, comment, source: chat.source || undefined, thread_id: answer.thread_id || undefined, result_id: answer.result_id || undefined });
      turn.verdict = good;
    } catch (error) {
      chat.fault(error);
    }
    thumbs();
  };
  const why = () => {
    const field = h("input", { type: "text", "aria-label": t("bad.why"), placeholder: t("bad.why"), maxlength: 1_000 });
    fill(place, h("form", { class: "row why", onsubmit: (event) => { event.preventDefault(); send(false, field.value); } },
      field, h("button", { class: "button small primary" }, t("bad.send")), button(t("sql.cancel"), thumbs, { class: "button small" })));
    field.focus();
  };
  thumbs();
  return place;
}
