/** The conversation: which thread, source, model and language it is in, and what is running. */
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
  /** `told`: api, source, lang, theme; `changed(name, value)` hears of what the person changes. */
  constructor(told, changed) {
    Object.assign(this, { lang: told.lang, theme: told.theme, source: told.source, changed, t: voice(told.lang) });
    Object.assign(this, { model: "", sources: [], models: [], thread: "", turns: [], catalogue: null, running: null });
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
      if (error.status === 401) return; // nobody signed in: nothing else would be told either
    }
    this.shell.renderTop();
    await Promise.all([this.threads.load(), this.readSchema(), thread ? this.open(thread) : null]);
  }

  async readSchema() {
    const source = this.source;
    this.catalogue = null;
    try {
      const catalogue = await this.api.get(`api/v1/schema?source=${encodeURIComponent(source)}`);
      if (source !== this.source) return;
      this.catalogue = catalogue;
    } catch (error) {
      this.fault(error);
    }
    this.schema.holds(this.catalogue);
    if (!this.turns.length) welcome(this);
  }

  // -- asking ----------------------------------------------------------------------------------------

  /** `more`: `fresh` to bypass the result cache, `language` where the words of the question do not tell it. */
  async ask(question, more = {}) {
    const body = { question, source: this.named(), model: this.model || undefined, thread_id: this.thread || undefined, ...more };
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
    return { sql, source: this.named(), thread_id: this.thread || undefined };
  }

  /** The source, but for a thread of an earlier day: the server knows which one that is about. */
  named() {
    return this.opened ? undefined : this.source || undefined;
  }

  async runSql(sql) {
    await this.during(new Turn(this, { question: sql, kind: "sql" }), (turn, signal) => turn.run(this.statement(sql), signal));
  }

  /** One thing at a time: what is asked meanwhile is not taken. */
  async during(turn, work) {
    if (this.running) return;
    this.running = new AbortController();
    this.append(turn);
    this.composer.state(true);
    try {
      await work(turn, this.running.signal);
    } finally {
      this.running = null;
      this.composer.render();
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
    // An older question back cannot be answered any more, and an older question not be taken back.
    last?.element.querySelectorAll("fieldset.choices").forEach((one) => { one.disabled = true; });
    last?.element.querySelector(".asked > button")?.remove();
    this.shell.log.append(turn.element);
    this.shell.toEnd();
  }

  isLast(turn) {
    return this.turns.at(-1) === turn;
  }

  /** Forget the last question here and at the server, and write it anew. */
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
    Object.assign(this, { thread: "", turns: [], opened: false, opening: "" });
    this.changed("thread", "");
    welcome(this);
    this.composer.render();
    this.threads.render();
    if (focus) this.composer.field.focus();
  }

  async open(id) {
    this.opening = id; // of two that are clicked, the later one is wanted, whichever comes first
    if (id === this.thread && this.turns.length) return;
    this.stop();
    try {
      const held = await this.api.get(`api/v1/threads/${encodeURIComponent(id)}`);
      if (this.opening !== id) return;
      Object.assign(this, { thread: id, turns: [], opened: true });
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
    if (this.shell.narrow) this.shell.drawer(false);
    this.shell.toEnd();
  }

  // -- switches --------------------------------------------------------------------------------------

  async useSource(name) {
    this.source = name;
    this.changed("source", name);
    this.shell.renderTop();
    this.fresh(false);
    await this.readSchema();
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

  // -- what is seen ----------------------------------------------------------------------------------

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

  /** What a person is told about a Problem; anything else is a fault of this page, and goes to the console. */
  explained(error) {
    const { t } = this;
    if (error.kind === "network") return { message: t("problem.network"), hint: t("problem.network.hint") };
    const wait = error.wait ? t("problem.wait", { n: error.wait }) : "";
    return { message: error.message || error.title || t("problem.other"), hint: [error.hint, wait].filter(Boolean).join(" ") };
  }

  fault(error) {
    if (error?.name === "AbortError") return;
    if (!(error instanceof Problem)) throw error;
    const { message, hint } = this.explained(error);
    this.shell.toast([message, hint].filter(Boolean).join(" "));
  }
}
