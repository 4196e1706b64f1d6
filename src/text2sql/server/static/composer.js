/** The question input. Enter sends, Shift+Enter inserts a line break, Esc stops the running question. */
import { fill, h, icon } from "./dom.js";

const TALLEST = 200; // pixels; beyond that it scrolls

export class Composer {
  constructor(chat) {
    this.chat = chat;
    this.busy = false;
    this.field = h("textarea", { rows: 1, id: "question", maxlength: 10_000, enterkeyhint: "send", oninput: () => this.fit(), onkeydown: (event) => this.pressed(event) });
    this.main = h("button", { class: "send" });
    this.label = h("label", { class: "unseen", for: "question" });
    this.keys = h("p", { class: "keys" });
    this.element = h("form", { class: "composer", onsubmit: (event) => { event.preventDefault(); this.send(); } },
      this.label, h("div", { class: "field" }, this.field, this.main), this.keys);
  }

  /** Update texts in place: re-inserting the field would lose the cursor. */
  render() {
    const { t } = this.chat;
    this.field.placeholder = t(this.chat.turns.length ? "ask.next" : "ask.first");
    this.label.textContent = t("ask.label");
    this.keys.textContent = t("ask.keys");
    this.state(Boolean(this.chat.running));
  }

  /** Restore focus after the focused element was removed, except on phones, where the keyboard would cover the answer. */
  keepCursor() {
    if (!this.field.getRootNode().activeElement && !matchMedia("(pointer: coarse)").matches) this.field.focus({ preventScroll: true });
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
