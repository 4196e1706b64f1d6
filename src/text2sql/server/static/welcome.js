/** The start view: the source, and example questions for this database. */
import { button, fill, h, icon } from "./dom.js";

export function welcome(chat) {
  const { t, catalog, source } = chat;
  const here = chat.sources.find((one) => one.name === source);
  const n = catalog?.tables.length ?? 0;
  const about = !catalog ? t("welcome.reading") : n ? t("welcome.about", { name: source, product: here?.product ?? catalog.dialect, n }) : t("welcome.empty");
  const tries = isFor(chat.examples, chat) ? chat.examples.questions : [];
  fill(chat.shell.log, h("div", { class: "welcome" }, icon("database"), h("h1", {}, t("welcome.title")), h("p", { class: "note" }, about),
    tries.length ? h("div", { class: "tries", role: "group", "aria-label": t("welcome.try") }, tries.map((one) => button(one, () => chat.ask(one), { class: "try" }))) : null));
  if (n) readExamples(chat);
}

/** The server's example questions, read once per source and language. */
async function readExamples(chat) {
  const wanted = { source: chat.source, lang: chat.lang, questions: [] };
  if (isFor(chat.examples, chat)) return;
  chat.examples = wanted;
  try {
    wanted.questions = (await chat.api.get(`api/v1/examples?source=${encodeURIComponent(wanted.source)}&language=${wanted.lang}`)).questions;
  } catch {
    return; // the page works without them
  }
  if (chat.examples === wanted && !chat.turns.length) welcome(chat);
}

const isFor = (examples, chat) => examples?.source === chat.source && examples.lang === chat.lang;
