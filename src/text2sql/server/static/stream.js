/** Server-sent events over fetch, which supports POST, resuming and aborting. */
import { Problem, parse } from "./api.js";

const SILENCE = 15_000; // ms; the server sends a heartbeat every 10 s and drops a reader after 20 s
const PAUSES = [250, 500, 1_000, 2_000, 4_000, 6_000]; // ms before each attempt to resume
const LAST = new Set(["finished", "problem"]);

/** Yields {event, data} until the last event. `onCut(true)`: the connection is lost, `onCut(false)`: it is back.
 * On abort the question is cancelled explicitly, because the server would wait for a reconnect.
 */
export async function* stream(api, path, body, { signal, onCut = () => {} } = {}) {
  const accept = "text/event-stream";
  let response = await api.request(path, { method: "POST", body, accept, signal });
  let streamId = "";
  let lastId = "";
  let tries = 0;
  try {
    for (;;) {
      try {
        for await (const one of messages(response.body)) {
          if (one.id && one.id === lastId) continue;
          lastId = one.id || lastId;
          tries = 0;
          const data = parse(one.data);
          if (one.event === "started") streamId = data.stream_id;
          yield { event: one.event, data };
          if (LAST.has(one.event)) return;
        }
      } catch (error) {
        if (signal?.aborted || error instanceof SyntaxError) throw error;
      }
      if (!streamId) throw new Problem({ kind: "network" });
      onCut(true);
      response = await again(api, streamId, lastId, signal, () => tries++);
      onCut(false);
    }
  } finally {
    if (signal?.aborted && streamId) api.remove(address(streamId)).catch(() => {});
  }
}

const address = (streamId) => `api/v1/query/${encodeURIComponent(streamId)}`;

async function again(api, streamId, lastId, signal, next) {
  for (;;) {
    const at = next();
    if (at >= PAUSES.length) throw new Problem({ kind: "network" });
    await pause(PAUSES[at], signal);
    try {
      const headers = { "Last-Event-ID": lastId };
      return await api.request(address(streamId), { headers, accept: "text/event-stream", signal });
    } catch (error) {
      const passing = error instanceof Problem && (error.kind === "network" || error.status >= 500 || error.status === 429);
      if (!passing) throw error;
    }
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(new DOMException("", "AbortError"))), { once: true });
  });
}

/** Parse messages as in the HTML standard: lines end in LF, CR or CRLF, and a blank line ends a message. */
async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let message = blank();
  try {
    for (;;) {
      const { value, done } = await heard(reader);
      if (done) return;
      rest += value;
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const line of lines) {
        if (line !== "") read(line, message);
        else if (message.lines.length) {
          yield { ...message, data: message.lines.join("\n") };
          message = blank();
        } else message = blank();
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

const blank = () => ({ event: "message", id: "", lines: [] });

function read(line, message) {
  const at = line.indexOf(":");
  const field = at < 0 ? line : line.slice(0, at);
  const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
  if (field === "data") message.lines.push(value);
  else if (field === "event" || field === "id") message[field] = value;
}

function heard(reader) {
  let timer;
  const silent = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Problem({ kind: "network" })), SILENCE);
  });
  return Promise.race([reader.read(), silent]).finally(() => clearTimeout(timer));
}
