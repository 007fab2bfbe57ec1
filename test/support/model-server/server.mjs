// A provider on the loopback. It answers the real paths of OpenAI, Anthropic, Google, OpenRouter and Bedrock with the bytes of
// the case that the request names, cut at random offsets. It records requests, and whether an answer was read to its
// end.
//
// Headers of a request control its answer: `x-server-seed` fixes the offsets, `x-server-break` breaks the connection
// after that many bytes, `x-server-hold` sends nothing more after that many bytes, `x-server-id` names the exchange for
// the routes below, `x-server-text` asks for a binary stream as text, `x-server-redirect: <status> <address>` redirects
// once, to the same path below `<address>/moved`, `x-server-fault` changes the answer (faults.mjs).
// A model `case:first|second` answers the requests of one exchange in turn; the last case also answers all later ones.
// GET /__requests?id= returns the requests; GET /__closed?id= waits until the answer's connection is closed, and
// returns how;
// GET /__recorded returns the recorded cases, and GET /__streams the names of the fixtures that are streams.

import { createServer } from "node:http";

import { BrokenRequests } from "../wire-rules/request-problems.mjs";
import { asSent, caseOf, gatewayUrl } from "./ai-binding.mjs";
import { fixtureAnswer, listRecorded, listRecordedErrors, recordedAnswer, listStreams, textAnswer } from "./cases.mjs";
import { CloudAccess } from "./cloud-access.mjs";
import { signatureProblem } from "./event-frames.mjs";
import { faults } from "./faults.mjs";
import { createRandom, cutAtRandom } from "./random.mjs";

/**
 * @typedef {import("node:http").IncomingMessage} Request
 * @typedef {import("node:http").ServerResponse} Response
 * @typedef {{ id: string | null, method: string, path: string, headers: Record<string, unknown>, body: unknown, binding: unknown }} RecordedRequest
 * @typedef {{ url: string, port: number, seed: number, close: () => Promise<void> }} ModelServer
 */

/** The provider of each path. A group of the pattern matches the model's name if the path contains it. */
const routes = [
  { path: /^\/api\/v1\/chat\/completions$/, provider: "openrouter" },
  { path: /^\/v1\/chat\/completions$/, provider: "openai" },
  { path: /^\/v1\/responses$/, provider: "openai-responses" },
  { path: /^\/v1\/messages$/, provider: "anthropic" },
  { path: /^\/(?:ai-gateway\/)?run$/, provider: "workers-ai" },
  { path: /^\/openai\/(?:v1\/)?responses$/, provider: "openai-responses" },
  { path: /^\/(?:openai\/v1|openai\/deployments\/[^/]+|models)\/chat\/completions$/, provider: "openai" },
  { path: /\/publishers\/google\/models\/(.+):streamGenerateContent$/, provider: "google" },
  { path: /\/publishers\/anthropic\/models\/(?:claude-)?(.+):streamRawPredict$/, provider: "anthropic" },
  { path: /^\/model\/([^/]+)\/converse-stream$/, provider: "bedrock" },
  { path: /^\/v1beta\/models\/(.+):streamGenerateContent$/, provider: "google" },
];

/** @param {Request} request */
async function readBody(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const text = Buffer.concat(pieces).toString("utf8");
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return { text, value: text };
  }
}

/**
 * @param {Request["headers"]} headers
 * @param {string} name
 */
function numberHeader(headers, name) {
  const value = headers[name];
  return typeof value === "string" ? Number(value) : null;
}

/**
 * @param {Response} response
 * @param {unknown} value
 * @param {number} status
 */
function sendJson(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** The ends of all answers, so that a test can wait for one. */
class Exchanges {
  /** @type {RecordedRequest[]} */
  requested = [];
  /** @type {Map<string, PromiseWithResolvers<{ complete: boolean }>>} */
  #ends = new Map();

  /** @param {string} id */
  end(id) {
    const known = this.#ends.get(id);
    if (known !== undefined) return known;
    /** @type {(end: { complete: boolean }) => void} */
    let resolve = () => undefined;
    const promise = new Promise((settle) => {
      resolve = settle;
    });
    const end = /** @type {PromiseWithResolvers<{ complete: boolean }>} */ ({
      promise,
      resolve,
      reject: () => undefined,
    });
    this.#ends.set(id, end);
    return end;
  }
}

/**
 * Writes an answer piece by piece. `breakAt` and `holdAt` are byte offsets.
 * @param {Response} response
 * @param {import("./cases.mjs").Answer} answer
 * @param {{ random: () => number, breakAt: number | null, holdAt: number | null }} how
 */
async function writeAnswer(response, { status, headers, body }, { random, breakAt, holdAt }) {
  response.writeHead(status, headers);
  response.socket?.setNoDelay(true);
  const end = breakAt ?? holdAt ?? body.length;
  for (const piece of cutAtRandom(body.subarray(0, end), random)) {
    if (response.destroyed) return;
    response.write(piece);
    // Sends each piece in a packet of its own, as far as a program can control that.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (breakAt !== null) response.destroy();
  else if (holdAt === null) response.end();
}

/**
 * Starts the server. Port 0 takes a free one.
 * @param {{ port?: number, recordedDir?: string | null, seed?: number }} [options]
 * @returns {Promise<ModelServer>}
 */
export async function startModelServer({ port = 0, recordedDir = null, seed = Date.now() % 1_000_000 } = {}) {
  const recorded = listRecorded(recordedDir);
  const exchanges = new Exchanges();
  const broken = new BrokenRequests();
  const clouds = new CloudAccess();
  let served = 0;

  /**
   * @param {string} provider
   * @param {string} model
   */
  const chooseAnswer = (provider, model) => {
    const found = recorded.find((entry) => entry.model === model);
    if (found !== undefined) return recordedAnswer(found);
    const name = provider === "bedrock" ? caseOf(model) : model;
    return name.startsWith("case:") ? fixtureAnswer(provider, name.slice("case:".length)) : null;
  };

  /**
   * The events of a case as text, also those of a binary stream.
   * @param {string} provider
   * @param {string} model
   */
  const chooseText = (provider, model) => textAnswer(provider, model.slice("case:".length));

  /**
   * The case of a model that names several, by the requests of its exchange so far.
   * @param {string} model
   * @param {string | null} id
   */
  const inTurn = (model, id) => {
    const names = model.split("|");
    if (names.length === 1) return model;
    const before = exchanges.requested.filter((requested) => requested.id === id).length - 1;
    const name = names[Math.min(before, names.length - 1)] ?? "";
    return name.includes(":") ? name : `case:${name}`;
  };

  /**
   * @param {Request} request
   * @param {Response} response
   * @param {URL} url
   */
  const tell = async (request, response, url) => {
    const id = url.searchParams.get("id");
    const ofGateway = gatewayUrl(url);
    if (url.pathname === "/__service-account") {
      sendJson(response, clouds.account);
    } else if (url.pathname === "/__expire-token") {
      clouds.expire(url.searchParams.get("token") ?? "");
      sendJson(response, {});
    } else if (ofGateway !== null) {
      sendJson(response, { result: { url: ofGateway } });
    } else if (url.pathname === "/__recorded") {
      sendJson(response, { folder: recordedDir, cases: recorded, errors: listRecordedErrors(recordedDir) });
    } else if (url.pathname === "/__streams") {
      sendJson(response, listStreams());
    } else if (url.pathname === "/__requests") {
      sendJson(
        response,
        id === null ? exchanges.requested : exchanges.requested.filter((requested) => requested.id === id),
      );
    } else if (url.pathname === "/__closed" && id !== null) {
      sendJson(response, await exchanges.end(id).promise);
    } else sendJson(response, { error: { message: `no route ${request.method} ${url.pathname}` } }, 404);
  };

  /**
   * @param {Request} request
   * @param {Response} response
   */
  const answer = async (request, response) => {
    const { text, value } = await readBody(request);
    const { url, headers, body, binding } = asSent(request, value);
    const moved = url.pathname.startsWith("/moved/");
    const pathname = moved ? url.pathname.slice("/moved".length) : url.pathname;
    const token = request.method === "POST" ? clouds.tokenReply(pathname, body) : null;
    if (token !== null) return sendJson(response, token.body, token.status);
    const route = routes.find(({ path }) => path.test(pathname));
    if (request.method !== "POST" || route === undefined) return tell(request, response, url);

    const bound = route.provider === "workers-ai";
    // By the binding, requests to Anthropic's models have the form of Anthropic, and all others that of Chat Completions.
    const wire = !bound ? route.provider : (binding?.model ?? "").startsWith("anthropic/") ? "anthropic" : "openai";
    const denied = clouds.refusal(url, headers, body);
    if (denied !== null) return sendJson(response, denied.body, denied.status);
    const refusal = broken.check(wire, { path: url.pathname, body, headers });
    if (refusal !== null) return sendJson(response, refusal, 400);
    const unsigned =
      wire === "bedrock" ? signatureProblem({ method: "POST", path: url.pathname, headers, body: text }) : null;
    if (unsigned !== null) return sendJson(response, { message: unsigned }, 403);
    const header = headers["x-server-id"];
    const id = typeof header === "string" ? header : null;
    exchanges.requested.push({ id, method: request.method, path: url.pathname, headers, body, binding });
    if (id !== null) {
      response.on("close", () => exchanges.end(id).resolve({ complete: response.writableFinished }));
    }
    const redirect = headers["x-server-redirect"];
    if (typeof redirect === "string" && !moved) {
      const [status, address] = redirect.split(" ");
      response.writeHead(Number(status), { location: `${address}/moved${url.pathname}${url.search}` }).end();
      return;
    }
    const named = decodeURIComponent(route.path.exec(pathname)?.[1] ?? "");
    const model = inTurn(String(named === "" ? body?.model : named), id);
    const asText = headers["x-server-text"] !== undefined ? chooseText(route.provider, model) : null;
    const chosen = asText ?? chooseAnswer(route.provider, model) ?? (bound ? chooseAnswer(wire, model) : null);
    if (chosen === null)
      return sendJson(response, { error: { message: `no case for model ${model}`, code: 404 } }, 404);
    if (url.pathname.startsWith("/ai-gateway/")) chosen.headers["cf-aig-log-id"] = "01LOGOFGATEWAY";
    const random = createRandom(numberHeader(headers, "x-server-seed") ?? seed + served++);
    const breakAt = numberHeader(headers, "x-server-break");
    const fault = headers["x-server-fault"];
    const sent = typeof fault === "string" ? faults[fault]?.(chosen) : chosen;
    if (sent === undefined) return sendJson(response, { error: { message: `no fault ${String(fault)}` } }, 404);
    return writeAnswer(response, sent, { random, breakAt, holdAt: numberHeader(headers, "x-server-hold") });
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const close = () =>
    new Promise((resolve) => {
      server.close(() => resolve(undefined));
      server.closeAllConnections();
    });
  const closeChecked = async () => {
    await close();
    broken.assertNone();
  };
  return { url: `http://127.0.0.1:${bound}`, port: bound, seed, close: closeChecked };
}
