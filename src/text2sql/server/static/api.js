/** The server's contract. An error is a Problem (RFC 9457), whoever met it. */

export class Problem extends Error {
  constructor({ title = "", detail = "", kind = "", hint = "", status = 0 } = {}) {
    super(detail || title);
    Object.assign(this, { title, kind, hint, status });
  }
}

/** Integers that a double cannot hold stay exact, where the browser shows us their digits. */
export function parse(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context.source)
      : value,
  );
}

export class Api {
  /** `needKey` is asked for a key when the server wants one: it resolves to a text, or to "" for no. */
  constructor(base, needKey) {
    this.base = base;
    this.lang = "en";
    this.key = keptKey(base);
    this.needKey = needKey;
  }

  url(path) {
    return new URL(path.replace(/^\//, ""), this.base).href;
  }

  async request(path, { method = "GET", body, accept = "application/json", headers = {}, signal } = {}) {
    const said = { Accept: accept, "Accept-Language": this.lang, ...headers };
    if (this.key) said.Authorization = `Bearer ${this.key}`;
    if (body !== undefined) said["Content-Type"] = "application/json";
    const sent = body === undefined ? undefined : JSON.stringify(body);
    let response;
    try {
      response = await fetch(this.url(path), { method, headers: said, body: sent, signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem({ kind: "network" });
    }
    if (response.ok) return response;
    if (response.status === 401 && (await this.signIn(said.Authorization))) {
      return this.request(path, { method, body, accept, headers, signal });
    }
    throw await problemOf(response);
  }

  /** One question for all requests that were refused; whoever comes after somebody's answer has it already. */
  async signIn(sent) {
    if (this.key && sent !== `Bearer ${this.key}`) return true;
    this.asking ??= this.needKey(Boolean(this.key)).finally(() => (this.asking = null));
    this.key = (await this.asking).trim();
    keepKey(this.base, this.key);
    return Boolean(this.key);
  }

  async get(path, signal) {
    return parse(await (await this.request(path, { signal })).text());
  }

  async post(path, body, signal) {
    const response = await this.request(path, { method: "POST", body, signal });
    return response.status === 204 ? null : parse(await response.text());
  }

  async remove(path) {
    await this.request(path, { method: "DELETE" });
  }

  /** A file of the server's: its bytes, and the name that it gives them. */
  async file(path, fallback) {
    const response = await this.request(path, { accept: "*/*" });
    const told = response.headers.get("Content-Disposition") ?? "";
    const starred = /filename\*=UTF-8''([^;]+)/i.exec(told);
    const name = starred ? decodeURIComponent(starred[1]) : /filename="?([^";]+)/i.exec(told)?.[1];
    return { blob: await response.blob(), name: name ?? fallback };
  }
}

/** For this tab alone, and gone with it; a browser may forbid even that. */
function keptKey(base) {
  try {
    return sessionStorage.getItem(`text2sql.key ${base}`) ?? "";
  } catch {
    return "";
  }
}

function keepKey(base, key) {
  try {
    if (key) sessionStorage.setItem(`text2sql.key ${base}`, key);
    else sessionStorage.removeItem(`text2sql.key ${base}`);
  } catch {
    // then it is asked for again
  }
}

async function problemOf(response) {
  const told = await response.json().catch(() => ({}));
  const wait = response.headers.get("Retry-After");
  const held = typeof told === "object" && told !== null ? told : {};
  const detail = typeof held.detail === "string" ? held.detail : "";
  const problem = new Problem({ ...held, detail, title: held.title ?? response.statusText, status: response.status });
  problem.wait = Number(wait) || 0;
  return problem;
}
