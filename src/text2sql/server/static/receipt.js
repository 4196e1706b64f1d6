/** The receipt of an answer: how it was produced, collapsed to one line. */
import { h, icon } from "./dom.js";
import { named } from "./words.js";

export const spent = (seconds) => Object.values(seconds ?? {}).reduce((sum, one) => sum + one, 0);

export const rounded = (seconds) => (seconds < 10 ? seconds.toFixed(1) : Math.round(seconds).toString());

export function receiptSection(chat, receipt) {
  const { t } = chat;
  const line = [
    receipt.model,
    t("receipt.seconds", { n: rounded(spent(receipt.seconds)) }),
    receipt.checks?.includes("ran") ? t("receipt.passed") : receipt.checks?.includes("guard") ? t("receipt.allowed") : "",
    receipt.repairs?.length ? t("receipt.repaired", { n: receipt.repairs.length }) : "",
    receipt.tables?.join(", "),
  ];
  return h("details", { class: "fold receipt" },
    h("summary", {}, icon("chevron"), icon("receipt"), h("span", {}, t("receipt.title")), h("span", { class: "short" }, line.filter(Boolean).join(" · "))),
    h("dl", {}, facts(chat, receipt).flatMap(([name, value]) => [h("dt", {}, t(`receipt.${name}`)), h("dd", {}, value)])));
}

function facts({ t, lang }, receipt) {
  const kind = receipt.classification ?? {};
  const number = (value) => (value ?? 0).toLocaleString(lang);
  const usage = receipt.usage ?? {};
  const all = [
    ["checks", chips(receipt.checks, (one) => [icon("check"), named(t, "passed", one)])],
    ["assumptions", list(receipt.assumptions)],
    ["values", list(receipt.values?.map((hit) => `“${hit.said}” → ${hit.table}.${hit.column} = '${hit.value}'`))],
    ["repairs", list(receipt.repairs?.map((one) => named(t, "fix", one)))],
    ["tables", chips(receipt.tables, (one) => one)],
    ["shared", shared(t, receipt.shared)],
    ["path", path(t, receipt)],
    ["errors", list(receipt.errors?.map((one) => `${named(t, "stage", one.stage)}: ${one.kind}: ${one.detail}`))],
    ["confidence", receipt.confidence === null || receipt.confidence === undefined ? null : percent(receipt.confidence)],
    ["kind", kind.kind ? `${t("receipt.sure", { ...kind, sure: percent(kind.confidence) })}${kind.reason ? `: ${kind.reason}` : ""}` : null],
    ["model", receipt.model],
    ["usage", usage.calls ? t("receipt.spent", { n: usage.calls, prompt: number(usage.prompt_tokens), written: number(usage.completion_tokens), cached: number(usage.cached_tokens) }) : null],
    ["attempts", receipt.attempts || null],
    ["statements", receipt.statements || null],
    ["dialect", receipt.dialect],
    ["mode", receipt.mode ? `${receipt.mode} / ${receipt.preset}` : null],
  ];
  return all.filter(([, value]) => value !== null && value !== undefined && value !== "");
}

const percent = (part) => `${Math.round(part * 100)} %`;

function chips(items, of, kind = "") {
  return items?.length ? h("div", { class: "chips" }, items.map((one) => h("span", { class: `chip ${kind}`.trim() }, of(one)))) : null;
}

/** The database values that were sent to a model; empty if no model was called. */
function shared(t, sent) {
  if (!sent?.location) return null;
  if (sent.location === "local") return t("receipt.shared.local");
  if (!sent.columns.length && !sent.rows) return t("receipt.shared.nothing");
  return t("receipt.shared.values", { columns: sent.columns.join(", "), rows: sent.rows });
}

function list(items) {
  return items?.length ? h("ul", {}, items.map((one) => h("li", {}, one))) : null;
}

/** The stages in order, with bars proportional to their time. */
function path(t, receipt) {
  const all = spent(receipt.seconds) || 1;
  const seen = new Set();
  const steps = (receipt.path ?? []).map((stage) => {
    const seconds = seen.has(stage) ? null : (receipt.seconds?.[stage] ?? null);
    seen.add(stage);
    const bar = h("span", { class: "bar" });
    bar.style.setProperty("--share", String((seconds ?? 0) / all));
    return h("li", {}, h("span", {}, named(t, "stage", stage)), bar, h("span", { class: "time" }, seconds === null ? "" : t("receipt.seconds", { n: seconds.toFixed(2) })));
  });
  return steps.length ? h("ol", { class: "path" }, steps) : null;
}
