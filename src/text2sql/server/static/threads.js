/** The list of threads: open, create and delete. */
import { button, fill, h, icon, iconButton } from "./dom.js";

export class Threads {
  constructor(chat) {
    this.chat = chat;
    this.all = [];
    this.sure = ""; // the thread whose deletion needs confirmation
    this.element = h("div", { class: "threads" });
  }

  async load() {
    try {
      this.all = (await this.chat.api.get("api/v1/threads")).threads;
    } catch {
      this.all = []; // the conversation shows the error
    }
    this.render();
  }

  render() {
    const { t } = this.chat;
    fill(this.element, this.all.length ? h("ul", {}, this.all.map((one) => this.one(one))) : h("p", { class: "note" }, t("threads.none")));
  }

  one(thread) {
    const { t, lang } = this.chat;
    const title = thread.title || t("threads.untitled");
    if (this.sure === thread.thread_id) {
      return h("li", { class: "sure" }, h("span", { class: "name" }, t("threads.sure")),
        button(t("threads.yes"), () => this.remove(thread), { class: "button small danger" }),
        button(t("threads.no"), () => this.ask(""), { class: "button small" }));
    }
    return h("li", {},
      h("button", { type: "button", class: "open", "aria-current": thread.thread_id === this.chat.thread ? "true" : null, onclick: () => this.chat.open(thread.thread_id) },
        icon("chat"), h("span", { class: "name" }, title), h("span", { class: "about" }, `${t("threads.turns", { n: thread.turns })} · ${when(thread.updated, lang)}`)),
      iconButton("trash", t("threads.delete", { title }), () => this.ask(thread.thread_id)));
  }

  ask(id) {
    this.sure = id;
    this.render();
    this.element.querySelector(id ? ".sure .danger" : ".open")?.focus();
  }

  async remove(thread) {
    try {
      await this.chat.api.remove(`api/v1/threads/${encodeURIComponent(thread.thread_id)}`);
      if (thread.thread_id === this.chat.thread) this.chat.fresh();
    } catch (error) {
      this.chat.fault(error);
    }
    this.sure = "";
    await this.load();
  }
}

function when(updated, lang) {
  const date = new Date(typeof updated === "number" ? updated * 1_000 : updated);
  if (Number.isNaN(date.getTime())) return "";
  const today = date.toDateString() === new Date().toDateString();
  return today ? date.toLocaleTimeString(lang, { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString(lang, { month: "short", day: "numeric" });
}
