/** The page layout: sidebar with two tabs, top bar with settings, conversation and composer. */
import { button, fill, h, icon, iconButton } from "./dom.js";

const SIDES = ["threads", "schema"];
const MARGIN = 16; // pixels above the turn that is scrolled to
const THEMES = { auto: "auto", light: "sun", dark: "moon" };

export class Shell {
  constructor(chat) {
    this.chat = chat;
    this.side = "threads";
    this.log = h("div", { class: "log", tabindex: -1 });
    this.status = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
    this.toasts = h("div", { class: "toasts", role: "status" });
    this.sidebar = h("aside", { class: "side", id: "side" });
    this.top = h("header", { class: "top" });
    this.main = h("div", { class: "main" }, this.top, h("main", { class: "scroll" }, this.log), chat.composer.element);
    this.veil = h("div", { class: "veil", onclick: () => this.drawer(false) });
    this.root = h("div", { class: "app" }, this.sidebar, this.veil, this.main, this.status, this.toasts);
    this.root.addEventListener("keydown", (event) => { if (event.key === "Escape" && this.narrow && this.open) { event.stopPropagation(); this.drawer(false); } });
    new ResizeObserver(() => this.sized()).observe(this.root);
    new ResizeObserver(() => { if (this.pinned?.isConnected) this.toStart(this.pinned); }).observe(this.log);
    for (const moved of ["wheel", "pointerdown", "touchstart", "keydown"]) this.log.parentElement.addEventListener(moved, () => this.unpin(), { passive: true });
    this.open = true;
  }

  get narrow() {
    return this.root.clientWidth < 820;
  }

  sized() {
    if (this.narrow === this.was) return;
    this.was = this.narrow;
    this.drawer(!this.narrow, false);
  }

  drawer(open, focus = true) {
    this.open = open;
    this.root.classList.toggle("closed", !open);
    this.sidebar.inert = !open;
    this.main.inert = open && this.narrow;
    this.toggle?.setAttribute("aria-expanded", String(open));
    if (focus) (open ? this.sidebar.querySelector("button") : this.toggle)?.focus();
  }

  render() {
    const { chat } = this;
    const { t } = chat;
    this.root.lang = chat.lang === "zh" ? "zh-CN" : "en";
    this.sidebar.setAttribute("aria-label", t("side.label"));
    this.renderTop();
    fill(this.sidebar,
      h("div", { class: "row brand" }, mark(), h("b", {}, "text2sql"), h("span", { class: "space" }), iconButton("close", t("side.close"), () => this.drawer(false), { class: "icon-button shut" })),
      button(t("threads.new"), () => { chat.fresh(); if (this.narrow) this.drawer(false); }, { name: "plus", class: "button new" }),
      this.tabs());
    chat.composer.render();
    chat.threads.render();
    chat.schema.render();
    this.drawer(this.open, false);
  }

  renderTop() {
    const { chat } = this;
    const { t } = chat;
    this.toggle = iconButton("menu", t("side.open"), () => this.drawer(!this.open), { "aria-controls": "side", "aria-expanded": String(this.open) });
    const theme = chat.theme;
    fill(this.top, this.toggle,
      pick("database", t("top.source"), chat.sources.map((one) => [one.name, one.product ? `${one.name} · ${one.product}` : one.name]), chat.source, (to) => chat.useSource(to)),
      pick("sparkle", t("top.model"), chat.models.map((one) => [one, one]), chat.model, (to) => chat.useModel(to)),
      h("span", { class: "space" }),
      h("button", { type: "button", class: "icon-button lang", lang: chat.lang === "zh" ? "en" : "zh-CN", "aria-label": t("top.lang"), title: t("top.lang"), onclick: () => chat.useLanguage(chat.lang === "zh" ? "en" : "zh") }, chat.lang === "zh" ? "EN" : "中"),
      iconButton(THEMES[theme], t("top.theme", { now: t(`theme.${theme}`) }), () => chat.useTheme(next(theme)), { class: "icon-button theme" }));
  }

  tabs() {
    const { chat } = this;
    const panel = h("div", { class: "side-panel", role: "tabpanel", id: "side-panel" });
    const tabs = SIDES.map((name) => h("button", { type: "button", role: "tab", id: `side-${name}`, "aria-controls": "side-panel", onclick: () => show(name),
      onkeydown: (event) => { if (/^Arrow(Left|Right)$/.test(event.key)) { show(SIDES.find((one) => one !== this.side)).focus(); event.preventDefault(); } } }, chat.t(`side.${name}`)));
    const show = (name) => {
      this.side = name;
      tabs.forEach((tab) => { tab.setAttribute("aria-selected", String(tab.id === `side-${name}`)); tab.tabIndex = tab.id === `side-${name}` ? 0 : -1; });
      panel.setAttribute("aria-labelledby", `side-${name}`);
      fill(panel, chat[name].element);
      return tabs[SIDES.indexOf(name)];
    };
    show(this.side);
    return [h("div", { class: "segments wide", role: "tablist", "aria-label": chat.t("side.label") }, tabs), panel];
  }

  atEnd() {
    const place = this.log.parentElement;
    return place.scrollHeight - place.scrollTop - place.clientHeight < 120;
  }

  toEnd() {
    this.unpin();
    const place = this.log.parentElement;
    place.scrollTop = place.scrollHeight;
  }

  /** Scroll a turn to the top of the conversation (the only scrolling element), and keep it there
   * while its chart is rendered, until the user interacts.
   */
  toStart(element) {
    const place = this.log.parentElement;
    place.scrollTop += element.getBoundingClientRect().top - place.getBoundingClientRect().top - MARGIN;
    this.pinned = element;
  }

  unpin() {
    this.pinned = null;
  }

  toast(text) {
    const one = h("div", { class: "toast" }, text);
    fill(this.toasts, one);
    setTimeout(() => one.remove(), 4_000);
  }
}

const next = (theme) => ({ auto: "light", light: "dark", dark: "auto" })[theme];

function pick(name, label, options, now, use) {
  if (!options.length) return null;
  return h("label", { class: "pick" }, icon(name), h("span", { class: "unseen" }, label),
    h("select", { title: label, onchange: (event) => use(event.target.value) }, options.map(([value, text]) => h("option", { value, selected: value === now }, text))));
}

function mark() {
  const one = icon("database");
  one.classList.add("logo");
  return one;
}

/** Prompt for an API key; resolves to "" if the user has none. */
export function askKey({ t, shell }, wrong) {
  return new Promise((resolve) => {
    const field = h("input", { type: "password", id: "key", autocomplete: "off", required: true });
    const dialog = h("dialog", { class: "card", "aria-labelledby": "key-title", onclose: () => { resolve(dialog.returnValue); dialog.remove(); } },
      h("form", { onsubmit: (event) => { event.preventDefault(); dialog.close(field.value); } },
        h("h2", { id: "key-title" }, t("key.title")), wrong && h("p", { class: "hint" }, t("key.wrong")),
        h("label", { for: "key" }, t("key.label")), field,
        h("div", { class: "row" }, h("button", { class: "button primary" }, t("key.use")), button(t("close"), () => dialog.close("")))));
    shell.root.append(dialog);
    dialog.showModal();
  });
}
