/** Where a question is written. Enter sends, Shift+Enter breaks the line, Esc stops what is running. */
import { fill, h, icon } from "./dom.js";

const TALLEST = 200; // pixels, then it scrolls

export class Composer {
  constructor(chat) {
    this.chat = chat;
    this.busy = false;
    this.element = h("form", { class: "composer", onsubmit: (event) => { event.preventDefault(); this.send(); } });
    this.field = h("textarea", { rows: 1, id: "question", maxlength: 10_000, enterkeyhint: "send", oninput: () => this.fit(), onkeydown: (event) => this.pressed(event) });
    this.main = h("button", { class: "send" });
  }

  render() {
    const { t } = this.chat;
    this.field.placeholder = t(this.chat.turns.length ? "ask.next" : "ask.first");
    fill(this.element, h("label", { class: "unseen", for: "question" }, t("ask.label")),
      h("div", { class: "field" }, this.field, this.main),
      h("p", { class: "keys" }, t("ask.keys")));
    this.state(Boolean(this.chat.running));
  }

  /** While a question runs, the same button stops it. */
  state(busy) {
    this.busy = busy;
    const label = this.chat.t(busy ? "ask.stop" : "ask.send");
    this.main.type = busy ? "button" : "submit";
    this.main.setAttribute("aria-label", label);
    this.main.title = label;
    this.main.classList.toggle("busy", busy);
    this.main.onclick = busy ? (event) => { event.preventDefault(); this.chat.stop(); } : null;
    fill(this.main, icon(busy ? "stop" : "send"));
  }

  pressed(event) {
    // While an input method composes, Enter chooses a character.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.send();
  }

  send() {
    const question = this.field.value.trim();
    if (!question || this.busy) return;
    this.say("");
    this.chat.ask(question);
  }

  say(text) {
    this.field.value = text;
    this.fit();
  }

  insert(text) {
    const { selectionStart: from, selectionEnd: to, value } = this.field;
    const before = value.slice(0, from);
    const added = `${before && !/\s$/.test(before) ? " " : ""}${text} `;
    this.field.setRangeText(added, from, to, "end");
    this.fit();
    this.field.focus();
  }

  fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, TALLEST)}px`;
  }
}
