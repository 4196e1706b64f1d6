/** Client of the HTTP API. All errors are Problems (RFC 9457). */

export class Problem extends Error {
  constructor({ title = "", detail = "", kind = "", hint = "", status = 0 } = {}) {
    super(detail || title);
    Object.assign(this, { title, kind, hint, status });
  }

  explained(t) {
    if (this.kind === "network") return { message: t("problem.network"), hint: t("problem.network.hint") };
    const wait = this.wait ? t("problem.wait", { n: this.wait }) : "";
    return { message: this.message || this.title || t("problem.other"), hint: [this.hint, wait].filter(Boolean).join(" ") };
  }
}

/** Keep integers beyond double precision exact, if the browser exposes their source text. */
export function parse(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context.source)
      : value,
  );
}

export class Api {
  /** `needKey` is called when the server requires an API key; it resolves to the key, or "" if there is none. */
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

  /** One prompt for all rejected requests; later requests reuse the key. */
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

  /** Download a file: its bytes and the file name from the header. */
  async file(path, fallback) {
    const response = await this.request(path, { accept: "*/*" });
    const told = response.headers.get("Content-Disposition") ?? "";
    const starred = /filename\*=UTF-8''([^;]+)/i.exec(told);
    const name = starred ? decodeURIComponent(starred[1]) : /filename="?([^";]+)/i.exec(told)?.[1];
    return { blob: await response.blob(), name: name ?? fallback };
  }
}

/** Session storage: per tab. The browser may block it. */
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
    // storage is blocked: the key is requested again
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
