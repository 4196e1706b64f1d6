/** One question and its outcome: live progress while it runs, then a card. */
import { answerCard } from "./answer.js";
import { Problem } from "./api.js";
import { fill, h, icon, iconButton } from "./dom.js";
import { rounded } from "./receipt.js";
import { coloured } from "./sql.js";
import { stream } from "./stream.js";
import { named } from "./words.js";

let counted = 0;

export class Turn {
  /** `kind`: a question, SQL of the user, or a confirmation (which has no text). */
  constructor(chat, { question = "", kind = "question" }) {
    Object.assign(this, { chat, question, kind, number: ++counted, answer: null, told: false, kept: false, tab: undefined });
    this.element = h("article", { class: `turn ${kind}` });
    this.reset();
  }

  reset() {
    Object.assign(this, { stages: [], written: "", said: "", warnings: [], failed: [], found: null, ahead: 0, cut: false, began: performance.now(), answer: null });
  }

  /** A turn of an opened thread: the stored answer with its chart and first rows. */
  static remembered(chat, answer) {
    const turn = new Turn(chat, { question: answer.question });
    Object.assign(turn, { told: true, kept: true, answer });
    turn.render();
    return turn;
  }

  /** Whether the stored rows of this answer have expired. */
  get expired() {
    const { status, columns, rows, row_count: count, result_id: kept } = this.answer;
    return this.told && status === "answered" && columns.length > 0 && rows.length === 0 && count > 0 && !kept;
  }

  async follow(path, body, signal) {
    this.reset();
    this.render();
    const ticking = setInterval(() => this.tick(), 200);
    try {
      const onCut = (cut) => { this.cut = cut; this.soon(); };
      for await (const { event, data } of stream(this.chat.api, path, body, { signal, onCut })) this.heard(event, data);
    } catch (error) {
      this.failedWith(error, signal);
    } finally {
      clearInterval(ticking);
      this.render();
    }
  }

  /** Run SQL of the user: one answer without stages. */
  async run(body, signal) {
    this.render();
    try {
      this.answer = await this.chat.api.post("api/v1/sql", body, signal);
    } catch (error) {
      this.failedWith(error, signal);
    }
    this.render();
  }

  /** Reload the rows of an expired result by running its statement again. */
  async rows() {
    try {
      const got = await this.chat.api.post("api/v1/sql", this.chat.statement(this.answer.sql));
      const { answer, columns, labels, rows, row_count, truncated, result_id, chart } = got;
      if (got.status !== "answered") throw new Problem(got.error ?? { detail: answer });
      Object.assign(this.answer, { answer, columns, labels, rows, row_count, truncated, result_id, chart });
      this.render();
    } catch (error) {
      this.chat.fault(error);
    }
  }

  failedWith(error, signal) {
    const { t } = this.chat;
    const told = { question: this.question, choices: [], columns: [], sql: "" };
    if (signal?.aborted) this.answer = { ...told, status: "stopped", answer: t("live.stopped") };
    else if (error instanceof Problem) {
      const { message, hint } = this.chat.explained(error);
      this.answer = { ...told, status: "failed", answer: message, error: { kind: error.kind, message, hint } };
    } else throw error;
  }

  heard(event, data) {
    if (event === "started") this.chat.threadIs(data.thread_id);
    else if (event === "stage_started") this.stages.push({ stage: data.stage, since: performance.now(), seconds: null });
    else if (event === "stage_ended") this.ended(data);
    else if (event === "sql_token") this.written += data.text;
    else if (event === "answer_token") this.said += data.text;
    else if (event === "warned") this.warnings.push(data.message);
    else if (event === "queued") this.ahead = data.ahead;
    else if (event === "checked" && !data.passed) this.failed.push(data);
    else if (event === "rows_found") this.found = data.rows.length;
    else if (event === "problem") throw new Problem(data);
    else if (event === "finished") Object.assign(this, { answer: data.answer, kept: true });
    if (event === "stage_started") {
      if (data.stage === "generator" || data.stage === "recovery") this.written = "";
      this.chat.announce(named(this.chat.t, "stage", data.stage));
    }
    this.soon();
  }

  ended({ stage, seconds }) {
    const open = this.stages.findLast((one) => one.stage === stage && one.seconds === null);
    if (open) open.seconds = seconds;
  }

  // -- rendering ------------------------------------------------------------------------------------

  /** Render at most once per animation frame. */
  soon() {
    this.waiting ||= requestAnimationFrame(() => { this.waiting = 0; if (!this.answer) this.render(); });
  }

  tick() {
    const place = this.element.querySelector(".clock");
    if (place) place.textContent = this.chat.t("receipt.seconds", { n: rounded((performance.now() - this.began) / 1_000) });
  }

  render() {
    const follows = this.chat.shell.atEnd();
    fill(this.element, this.asked(), this.answer ? answerCard(this.chat, this) : this.live());
    this.tick();
    if (!follows) return;
    if (this.answer && !this.told) this.chat.shell.toStart(this.element);
    else this.chat.shell.toEnd();
  }

  asked() {
    const { t } = this.chat;
    if (!this.question) return null;
    const own = this.kind === "sql";
    const back = this.answer && !own && this.chat.isLast(this) && iconButton("edit", t("ask.edit"), () => this.chat.takeBack(this));
    return h("div", { class: "asked" }, back,
      h("h2", { class: "bubble" }, h("span", { class: "unseen" }, `${t(own ? "ask.your_sql" : "ask.you")}: `), own ? h("code", {}, coloured(this.question)) : this.question));
  }

  live() {
    const { t } = this.chat;
    const now = this.stages.findLast((one) => one.seconds === null) ?? this.stages.at(-1);
    const label = this.cut ? t("live.cut") : this.ahead ? t("live.queued", { n: this.ahead }) : now ? named(t, "stage", now.stage) : t("live.sending");
    const done = this.stages.filter((one) => one.seconds !== null);
    return h("div", { class: `card live ${this.cut ? "cut" : ""}` },
      h("div", { class: "row" }, h("span", { class: "pulse" }), h("span", { class: "stage-now" }, label), h("span", { class: "clock", "aria-hidden": "true" })),
      h("div", { class: "progress", "aria-hidden": "true" }),
      done.length ? h("ol", { class: "stages", "aria-label": t("live.stages") }, done.map((one) => h("li", {}, icon("check"), named(t, "stage", one.stage), h("span", { class: "time" }, t("receipt.seconds", { n: one.seconds.toFixed(1) }))))) : null,
      this.failed.map((one) => h("p", { class: "hint warning" }, icon("cross"), h("span", {}, `${t("live.failed", { check: named(t, "check", one.check) })}${one.detail ? `: ${one.detail}` : ""}`))),
      this.warnings.map((one) => h("p", { class: "hint warning" }, icon("warn"), h("span", {}, one))),
      this.written && h("pre", { class: "code writing" }, h("code", {}, coloured(query(this.written)))),
      this.found !== null && h("p", { class: "hint" }, t("live.rows", { n: this.found })),
      this.said && h("p", { class: "sentence" }, this.said));
  }
}

/** Extract the query from the JSON that a hosted model streams. */
function query(written) {
  const form = /^\s*\{\s*"sql"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(written);
  return form ? form[1].replace(/\\n/g, "\n").replace(/\\(.)/g, "$1") : written;
}
