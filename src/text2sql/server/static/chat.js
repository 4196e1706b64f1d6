/** State of the conversation: thread, source, model, language and the running question. */
import { Api, Problem } from "./api.js";
import { Composer } from "./composer.js";
import { fill } from "./dom.js";
import { SchemaBrowser } from "./schema.js";
import { Shell, askKey } from "./shell.js";
import { Threads } from "./threads.js";
import { Turn } from "./turn.js";
import { welcome } from "./welcome.js";
import { voice } from "./words.js";

export class Chat {
  /** `told`: api, source, lang, theme; `changed(name, value)` is called when the user changes a setting. */
  constructor(told, changed) {
    Object.assign(this, { lang: told.lang, theme: told.theme, source: told.source, changed, t: voice(told.lang) });
    Object.assign(this, { model: "", sources: [], models: [], thread: "", turns: [], catalog: null, running: null });
    this.api = new Api(told.api, (wrong) => askKey(this, wrong));
    this.api.lang = told.lang;
    this.composer = new Composer(this);
    this.threads = new Threads(this);
    this.schema = new SchemaBrowser(this);
    this.shell = new Shell(this);
    this.redraw();
  }

  async begin(thread) {
    try {
      const { sources, default: first } = await this.api.get("api/v1/sources");
      this.sources = sources;
      if (!sources.some((one) => one.name === this.source)) this.source = first ?? sources[0]?.name ?? "";
      const models = await this.api.get("api/v1/models");
      this.models = models.models.map((one) => (typeof one === "string" ? one : one.name));
      this.model = models.default ?? this.models[0] ?? "";
      if (this.model && !this.models.includes(this.model)) this.models.unshift(this.model);
    } catch (error) {
      this.fault(error);
      if (error.status === 401) return; // not signed in: further requests would fail, too
    }
    this.shell.renderTop();
    await Promise.all([this.threads.load(), this.readSchema(), thread ? this.open(thread) : null]);
  }

  async readSchema() {
    const source = this.source;
    this.catalog = null;
    try {
      const catalog = await this.api.get(`api/v1/schema?source=${encodeURIComponent(source)}`);
      if (source !== this.source) return;
      this.catalog = catalog;
    } catch (error) {
      this.fault(error);
    }
    this.schema.holds(this.catalog);
    if (!this.turns.length) welcome(this);
  }

  // -- asking ----------------------------------------------------------------------------------------

  /** `more`: `fresh` bypasses the result cache; `language` is set if the question does not show it. */
  async ask(question, more = {}) {
    const body = { question, source: this.source || undefined, model: this.model || undefined, thread_id: this.thread || undefined, ...more };
    await this.during(new Turn(this, { question }), (turn, signal) => turn.follow("api/v1/query", body, signal));
    await this.threads.load();
  }

  async again(turn) {
    if (turn.kind === "sql") await this.runSql(turn.question);
    else if (turn.question) await this.ask(turn.question);
  }

  async confirm(thread, yes) {
    const path = `api/v1/threads/${encodeURIComponent(thread || this.thread)}/resume`;
    await this.during(new Turn(this, { kind: "confirmation" }), (turn, signal) => turn.follow(path, { confirm: yes }, signal));
  }

  statement(sql) {
    return { sql, source: this.source || undefined, thread_id: this.thread || undefined };
  }

  async runSql(sql) {
    await this.during(new Turn(this, { question: sql, kind: "sql" }), (turn, signal) => turn.run(this.statement(sql), signal));
  }

  /** Run one task at a time; further requests are ignored meanwhile. */
  async during(turn, work) {
    if (this.running) return;
    this.running = new AbortController();
    this.append(turn);
    this.composer.state(true);
    this.composer.keepCursor();
    try {
      await work(turn, this.running.signal);
    } finally {
      this.running = null;
      this.composer.render();
      this.composer.keepCursor();
    }
    this.announce(this.t("answer.announce", { text: turn.answer?.answer ?? "" }));
  }

  stop() {
    this.running?.abort();
  }

  append(turn) {
    const last = this.turns.at(-1);
    if (!last) fill(this.shell.log);
    this.turns.push(turn);
    // Only the latest clarification can be answered, and only the latest question can be undone.
    last?.element.querySelectorAll("fieldset.choices").forEach((one) => { one.disabled = true; });
    last?.element.querySelectorAll(".asked > button, .next").forEach((element) => { element.remove(); });
    this.shell.log.append(turn.element);
    this.shell.toEnd();
  }

  isLast(turn) {
    return this.turns.at(-1) === turn;
  }

  /** Remove the last question here and on the server, and put it into the composer for editing. */
  async takeBack(turn) {
    if (this.running) return;
    try {
      if (turn.kept) await this.api.post(`api/v1/threads/${encodeURIComponent(this.thread)}/rollback`, { turns: 1 });
    } catch (error) {
      this.fault(error);
      return;
    }
    this.turns.pop();
    turn.element.remove();
    if (this.turns.length) this.turns.at(-1).render();
    else welcome(this);
    this.composer.render();
    this.composer.say(turn.question);
    this.composer.field.focus();
    await this.threads.load();
  }

  // -- threads ---------------------------------------------------------------------------------------

  threadIs(id) {
    if (!id || id === this.thread) return;
    this.thread = id;
    this.changed("thread", id);
    this.threads.render();
  }

  fresh(focus = true) {
    this.stop();
    Object.assign(this, { thread: "", turns: [], opening: "" });
    this.changed("thread", "");
    welcome(this);
    this.composer.render();
    this.threads.render();
    if (focus) this.composer.field.focus();
  }

  async open(id) {
    this.opening = id; // if two threads are clicked, show the later one
    if (id === this.thread && this.turns.length) return;
    this.stop();
    try {
      const held = await this.api.get(`api/v1/threads/${encodeURIComponent(id)}`);
      if (this.opening !== id) return;
      Object.assign(this, { thread: id, turns: [] });
      this.sourceIs(held.source);
      fill(this.shell.log);
      for (const one of held.turns) this.append(Turn.remembered(this, one));
      this.turns.at(-1)?.render();
      if (!this.turns.length) welcome(this);
      this.changed("thread", id);
    } catch (error) {
      if (this.opening !== id) return;
      this.fault(error);
      this.fresh(false);
    }
    this.composer.render();
    this.threads.render();
    if (this.shell.narrow && this.shell.open) this.shell.drawer(false);
    this.composer.keepCursor();
    this.shell.toEnd();
  }

  // -- settings --------------------------------------------------------------------------------------

  useSource(name) {
    this.sourceIs(name);
    this.fresh(false);
  }

  /** Switch to the source of the opened thread. */
  sourceIs(name) {
    if (!name || name === this.source) return;
    this.source = name;
    this.changed("source", name);
    this.shell.renderTop();
    this.readSchema();
  }

  useModel(name) {
    this.model = name;
  }

  useLanguage(lang) {
    if (lang === this.lang) return;
    Object.assign(this, { lang, t: voice(lang) });
    this.api.lang = lang;
    this.changed("lang", lang);
    this.redraw();
    this.shell.top.querySelector(".lang")?.focus();
  }

  useTheme(theme) {
    this.theme = theme;
    this.changed("theme", theme);
    this.shell.renderTop();
    this.shell.top.querySelector(".theme")?.focus();
    this.turns.forEach((one) => one.chart?.redraw());
  }

  // -- rendering ------------------------------------------------------------------------------------

  redraw() {
    this.shell.render();
    if (this.turns.length) this.turns.forEach((one) => one.render());
    else welcome(this);
  }

  insert(name) {
    if (this.shell.narrow) this.shell.drawer(false);
    this.composer.insert(name);
  }

  announce(text) {
    this.shell.status.textContent = text;
  }

  /** Show a Problem to the user; other errors are bugs of this page and are logged to the console. */
  explained(error) {
    return error instanceof Problem ? error.explained(this.t) : { message: this.t("problem.other"), hint: "" };
  }

  fault(error) {
    if (error?.name === "AbortError") return;
    if (!(error instanceof Problem)) throw error;
    const { message, hint } = this.explained(error);
    this.shell.toast([message, hint].filter(Boolean).join(" "));
  }
}
