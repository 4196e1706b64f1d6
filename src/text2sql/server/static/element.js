/** <text2sql-chat api="https://…/" source="shop" lang="zh" theme="dark">: the whole product as one element.
 *
 * `api` is where the server is (where this file came from, without it). With `routing="hash"` the thread stands in
 * the page's address and the choices of language and theme are kept; an element inside another page leaves both alone.
 */
import { Chat } from "./chat.js";
import { LANGUAGES, languageOf } from "./words.js";

const HERE = new URL("../", import.meta.url).href;
const SHEETS = ["tokens.css", "layout.css", "answer.css"];
const THEMES = ["auto", "light", "dark"];

let sheets; // read once, adopted by every element of the page

function styles() {
  sheets ??= Promise.all(SHEETS.map(async (name) => new CSSStyleSheet().replace(await (await fetch(new URL(name, import.meta.url))).text())));
  return sheets;
}

class Text2SqlChat extends HTMLElement {
  static observedAttributes = ["api", "source", "lang", "theme"];

  #chat = null;
  #listening = null;

  async connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = await styles();
    if (!this.isConnected || this.#chat) return;
    const api = new URL(this.getAttribute("api") || HERE, location.href).href;
    const told = { api: api.endsWith("/") ? api : `${api}/`, source: this.getAttribute("source") ?? "", lang: this.#language(), theme: this.#theme() };
    this.#chat = new Chat(told, (name, value) => this.#changed(name, value));
    this.#dress();
    root.replaceChildren(this.#chat.shell.root);
    this.#listen();
    await this.#chat.begin(this.#routed ? threadOf(location.hash) : "");
  }

  disconnectedCallback() {
    this.#listening?.abort();
    this.#chat?.stop();
    this.#chat = null;
  }

  attributeChangedCallback(name, before, after) {
    if (!this.#chat || before === after) return;
    if (name === "lang") this.#chat.useLanguage(languageOf(after));
    else if (name === "theme" && THEMES.includes(after) && after !== this.#chat.theme) this.#chat.useTheme(after);
    else if (name === "source" && after !== this.#chat.source) this.#chat.useSource(after);
    else if (name === "api") {
      this.disconnectedCallback();
      this.connectedCallback();
    }
  }

  get #routed() {
    return this.getAttribute("routing") === "hash";
  }

  #language() {
    const wanted = this.getAttribute("lang") || (this.#routed && kept("lang"));
    return wanted && LANGUAGES.includes(languageOf(wanted)) ? languageOf(wanted) : languageOf(navigator.language);
  }

  #theme() {
    const wanted = this.getAttribute("theme") || (this.#routed && kept("theme"));
    return THEMES.includes(wanted) ? wanted : "auto";
  }

  #dress() {
    this.#chat.shell.root.dataset.theme = this.#chat.theme;
    if (this.#routed) document.documentElement.lang = this.#chat.lang === "zh" ? "zh-CN" : "en";
  }

  #changed(name, value) {
    if (name === "lang" || name === "theme") {
      // The theme must be set before a chart reads its colors.
      if (this.#chat) this.#dress();
      if (this.#routed) keep(name, value);
    } else if (name === "thread" && this.#routed && threadOf(location.hash) !== value) {
      history.pushState(null, "", value ? `#thread=${encodeURIComponent(value)}` : location.pathname + location.search);
    }
    this.dispatchEvent(new CustomEvent(`text2sql-${name}`, { detail: value, bubbles: true, composed: true }));
  }

  /** Global keyboard shortcuts, on the standalone page only. */
  #listen() {
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    (this.#routed ? document : this).addEventListener("keydown", (event) => this.#pressed(event), { signal });
    if (!this.#routed) return;
    const go = () => {
      const thread = threadOf(location.hash);
      if (thread === this.#chat.thread) return;
      if (thread) this.#chat.open(thread);
      else this.#chat.fresh();
    };
    addEventListener("popstate", go, { signal });
    addEventListener("hashchange", go, { signal });
  }

  #pressed(event) {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Escape") this.#chat.stop();
    const typing = event.composedPath()[0]?.closest?.("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
    event.preventDefault();
    this.#chat.composer.field.focus();
  }
}

const threadOf = (hash) => new URLSearchParams(hash.slice(1)).get("thread") ?? "";

/** Local storage, which the browser may block. */
function kept(name) {
  try {
    return localStorage.getItem(`text2sql.${name}`);
  } catch {
    return null;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(`text2sql.${name}`, value);
  } catch {
    // storage is blocked: the setting is not kept
  }
}

if (!customElements.get("text2sql-chat")) customElements.define("text2sql-chat", Text2SqlChat);
