// A collector of traces that speaks OTLP/HTTP with JSON. It refuses every body that OTLP's definition does not allow, and keeps what it
// received by the first segment of the path, its scope.
//
// POST /<scope>/v1/traces receives spans. The beginning of the scope selects the answer: `hang` never answers, `busy` answers 503 once and
// then accepts, `refuse` answers 400, `move` answers with a redirect, `part` reports one rejected span, `lies` reports numbers of
// rejected spans that cannot be. The names of hostile-answer.mjs select its answers.
// GET /<scope>/received?spans=<n>&requests=<n>&thread=<id> answers once that many spans and requests have arrived, with all of them. With
// `thread`, only the spans of this thread and the requests with such spans count.

import { answerHostile } from "../hostile-answer.mjs";
import { bodyOf, Scopes, startServer } from "../record-server.mjs";

/** @typedef {Record<string, unknown>} Fields */

/** @param {boolean} holds @param {string} problem */
function check(waitFor, problem) {
  if (!waitFor) throw new Error(problem);
}

/** @param {unknown} value @param {readonly string[]} allowed @returns {Fields} */
function objectOf(value, allowed) {
  check(typeof value === "object" && value !== null && !Array.isArray(value), `no object: ${JSON.stringify(value)}`);
  const fields = /** @type {Fields} */ (value);
  for (const name of Object.keys(fields)) check(allowed.includes(name), `unknown field ${name}`);
  return fields;
}

/** @param {unknown} value @returns {unknown[]} */
function listOf(value) {
  check(Array.isArray(value), `no list: ${JSON.stringify(value)}`);
  return /** @type {unknown[]} */ (value);
}

/** @param {unknown} value @param {RegExp} form */
function textOf(value, form = /^.*$/s) {
  check(typeof value === "string" && form.test(value), `not ${form}: ${JSON.stringify(value)}`);
  return /** @type {string} */ (value);
}

/** @param {unknown} value @returns {unknown} */
function valueOf(value) {
  const entries = Object.entries(
    objectOf(value, ["stringValue", "boolValue", "intValue", "doubleValue", "arrayValue"]),
  );
  check(entries.length === 1, "a value has one field");
  const [[kind, content] = []] = entries;
  if (kind === "stringValue") return textOf(content);
  if (kind === "intValue") return Number(textOf(content, /^-?\d+$/));
  if (kind === "arrayValue") return listOf(objectOf(content, ["values"])["values"]).map(valueOf);
  check(typeof content === (kind === "boolValue" ? "boolean" : "number"), `${kind} is ${typeof content}`);
  return content;
}

/** @param {unknown} list @returns {Fields} */
function attributesOf(list) {
  /** @type {Fields} */
  const read = {};
  for (const entry of listOf(list)) {
    const { key, value } = objectOf(entry, ["key", "value"]);
    check(!(textOf(key, /./) in read), `${textOf(key)} is there twice`);
    read[textOf(key)] = valueOf(value);
  }
  return read;
}

const nanoseconds = /^[1-9]\d{18}$/;
const spanId = /^(?!0{16})[0-9a-f]{16}$/;
const spanFields = ["traceId", "spanId", "parentSpanId", "name", "kind"].concat([
  "startTimeUnixNano",
  "endTimeUnixNano",
  "attributes",
  "status",
]);

/** @param {unknown} value @param {Fields} resource */
function spanOf(value, resource) {
  const span = objectOf(value, spanFields);
  const { code = 0 } = objectOf(span["status"], ["code"]);
  const startedAt = Number(textOf(span["startTimeUnixNano"], nanoseconds).slice(0, -3));
  const endedAt = Number(textOf(span["endTimeUnixNano"], nanoseconds).slice(0, -3));
  check(endedAt >= startedAt, "a span ends before it starts");
  check(span["kind"] === 1 || span["kind"] === 3, `kind ${String(span["kind"])}`);
  check(code === 0 || code === 2, `status ${String(code)}`);
  return {
    traceId: textOf(span["traceId"], /^(?!0{32})[0-9a-f]{32}$/),
    spanId: textOf(span["spanId"], spanId),
    parentId: span["parentSpanId"] === undefined ? null : textOf(span["parentSpanId"], spanId),
    name: textOf(span["name"], /./),
    kind: span["kind"],
    startedAt,
    endedAt,
    failed: code === 2,
    attributes: attributesOf(span["attributes"]),
    resource,
  };
}

/** @param {unknown} body */
function spansOf(body) {
  return listOf(objectOf(body, ["resourceSpans"])["resourceSpans"]).flatMap((entry) => {
    const { resource, scopeSpans } = objectOf(entry, ["resource", "scopeSpans"]);
    const service = attributesOf(objectOf(resource, ["attributes"])["attributes"]);
    textOf(service["service.name"], /./);
    return listOf(scopeSpans).flatMap((scoped) => {
      const { scope, spans } = objectOf(scoped, ["scope", "spans"]);
      textOf(objectOf(scope, ["name", "version"])["name"], /^threadhold$/);
      return listOf(spans).map((span) => spanOf(span, service));
    });
  });
}

/** @param {{ attributes: Fields }} span */
const threadOf = ({ attributes }) => attributes["gen_ai.conversation.id"];

/** Starts a collector on a free port of the loopback. */
export async function startCollector() {
  const scopes = new Scopes(() => ({
    spans: /** @type {{ attributes: Fields }[]} */ ([]),
    requests: /** @type {(Fields & { threads: unknown[] })[]} */ ([]),
  }));

  /** @param {string} name @param {number} count @returns {[status: number, body: object] | null} */
  function answerOf(name, count) {
    if (name.startsWith("hang")) return null;
    if (name.startsWith("busy") && count === 1) return [503, {}];
    if (name.startsWith("refuse")) return [400, {}];
    if (name.startsWith("move")) return [307, {}];
    if (name.startsWith("lies")) return [200, { partialSuccess: { rejectedSpans: count === 1 ? "1e300" : -5 } }];
    return [200, name.startsWith("part") ? { partialSuccess: { rejectedSpans: "1", errorMessage: "one" } } : {}];
  }

  return startServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://collector");
    const [, name = "", ...rest] = pathname.split("/");
    const scope = scopes.of(name);
    if (request.method === "GET") {
      const thread = searchParams.get("thread");
      scopes.answerOnce(name, response, (all) => {
        const spans = all.spans.filter((span) => thread === null || threadOf(span) === thread);
        const requests = all.requests.filter(({ threads }) => thread === null || threads.includes(thread));
        const isThere =
          spans.length >= Number(searchParams.get("spans") ?? 0) &&
          requests.length >= Number(searchParams.get("requests") ?? 0);
        return isThere ? { spans, requests } : undefined;
      });
      return;
    }
    const text = await bodyOf(request);
    const isTraces = rest.join("/") === "v1/traces" && request.method === "POST";
    const isJson = request.headers["content-type"] === "application/json";
    /** @type {{ attributes: Fields }[]} */
    let spans = [];
    /** @type {string | null} */
    let problem = isTraces && isJson ? null : `${request.method} ${pathname} ${request.headers["content-type"]}`;
    try {
      if (problem === null) spans = spansOf(JSON.parse(text));
    } catch (error) {
      problem = String(error);
    }
    const [status, body] = answerOf(name, scope.requests.length + 1) ?? [null, {}];
    scope.requests.push({
      headers: request.headers,
      problem,
      status,
      spans: spans.length,
      threads: spans.map(threadOf),
    });
    if (status === 200 && problem === null) scope.spans.push(...spans);
    scopes.notify(name);
    if (status === null || answerHostile(name, request.socket)) return;
    const location = status === 307 ? { location: `/other-${name}/v1/traces` } : {};
    response.writeHead(problem === null ? status : 400, { "content-type": "application/json", ...location });
    response.end(JSON.stringify(body));
  });
}
