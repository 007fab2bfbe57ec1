// The table of docs/design/untrusted-input.md: each input is sent hostile texts at its bounds, and what reaches `JSON.parse` or the converter
// of pages is counted. Time is not measured.

import { afterEach, describe, expect, it, vi } from "vitest";

import { readWorkerLine } from "#cli/dev/worker-line.ts";
import { readAcknowledgement } from "#contract/acknowledgement.ts";
import { decodeCursor } from "#contract/cursor.ts";
import { parseArguments } from "#core/model/answer.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import { readEventId } from "#dialect/mcp/event-id.ts";
import { decodeSession } from "#facade/phi/session/session-codec.ts";
import { createJwtCheck } from "#http/auth/json-web-token.ts";
import { readJsonBody } from "#http/input/read-body.ts";
import { resultValue } from "#lib/json-value.ts";
import { readDnsAnswer } from "#lib/outbound/dns-answer.ts";
import { systemClock } from "#lib/system-clock.ts";
import { JsonMeter } from "#lib/untrusted/bounded-json.ts";
import { skillFrontmatter } from "#lib/untrusted/skill-frontmatter.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { LineReader } from "#thread/archive/line-reader.ts";
import { rejectedSpans } from "#thread/trace/otlp.ts";
import { oauthFetch } from "#tools/mcp/oauth/oauth-fetch.ts";
import { serverFetch } from "#tools/mcp/server-fetch.ts";
import { BoundedMessages } from "#tools/node/bounded-messages.ts";
import { readDocument } from "#tools/openapi/api-document.ts";
import { apiResult } from "#tools/openapi/api-result.ts";
import { flatHtml } from "#tools/web/flat-html.ts";

const [page = ""] = Object.values(
  import.meta.glob("../../docs/design/untrusted-input.md", { query: "?raw", import: "default", eager: true }),
);

interface Row {
  input: string;
  bytes: number | null;
  values: number;
  depth: number;
  keys: number | null;
  more: string;
}

/** The first number of a cell; null for a dash. */
function numberOf(cell = ""): number | null {
  const found = /\d[\d,]*/.exec(cell)?.[0];
  return found === undefined ? null : Number(found.replaceAll(",", ""));
}

const rows: Row[] = (page.split("| input |")[1] ?? "")
  .split("\n")
  .slice(2)
  .filter((line) => line.startsWith("| "))
  .map((line) => {
    const [, input = "", bytes, values, depth, keys, more = ""] = line.split("|").map((cell) => cell.trim());
    return {
      input,
      bytes: numberOf(bytes),
      values: numberOf(values) ?? 0,
      depth: numberOf(depth) ?? 0,
      keys: numberOf(keys),
      more,
    };
  });

/** How an input is played. */
interface Player {
  /** Sends a JSON text to the input. It may throw, because hostile texts are refused. */
  play: (json: string) => unknown;
  /** The values and levels that the input adds around the text. */
  around?: number;
  /** Whether the text reaches `JSON.parse` as one text at its bound. */
  parses?: boolean;
}

/** A body of many small pieces. It ends with an error after `limit` bytes, as the guarded fetch ends it. */
function body(text: string, { size = 4096, limit = Infinity } = {}): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= limit) return controller.error(new Error("The body has too many bytes."));
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
  });
}

const answering = (text: string, type = "application/json", status = 200): OutboundFetch =>
  ((_url: string, { limits }: { limits?: { bytes?: number } } = {}) => {
    const limited = body(text, { limit: limits?.bytes ?? Infinity });
    return Promise.resolve(new Response(limited, { status, headers: { "content-type": type } }));
  }) as never;

const server = (fetch: OutboundFetch) =>
  serverFetch({ fetch, name: "hostile", allowedHosts: [], timeoutMs: 1000, isOneStream: false });

const posted = (method: string, params: object = {}) => ({
  method: "POST",
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
});

const result = (json: string) => `{"jsonrpc":"2.0","id":1,"result":${json}}`;

/** Reads a stream of events as the SDK does: the data of each complete event is parsed. */
async function parseEvents(response: Response): Promise<void> {
  for (const event of (await response.text()).split("\n\n")) {
    const data = event.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []));
    if (data.length > 0) JSON.parse(data.join("\n"));
  }
}

/** Asks a model whose server answers with this response. */
async function ask(response: Response, provider = "openai"): Promise<unknown> {
  // The credentials are new ones each time, because access tokens are kept.
  const names = ["OPENAI_API_KEY", "AZURE_RESOURCE_NAME", "AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"];
  const env = Object.fromEntries(names.map((name) => [name, crypto.randomUUID()]));
  const port = createModelPort({ env, fetch: () => Promise.resolve(response) });
  const request = {
    model: { name: "hostile", provider, model: "gpt-4o" },
    system: "",
    messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }],
    tools: [],
  };
  const parts: unknown[] = [];
  for await (const part of port.stream(request as never, new AbortController().signal)) parts.push(part);
  return parts;
}

const encoder = new TextEncoder();
const base64Url = (text: string) => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const players: Record<string, Player> = {
  "JSON of a request": {
    play: (json) => {
      const headers = { "content-type": "application/json" };
      const request = new Request("https://threads.test/", { method: "POST", headers, body: json });
      return readJsonBody(request, { limit: 1_048_576, optional: false });
    },
  },
  "frame of a client's WebSocket": { play: (json) => readAcknowledgement(json), parses: false },
  "cursor of a list": { play: (json) => decodeCursor(base64Url(json), "threads") },
  "line of the local server's log": { play: (json) => readWorkerLine(json) },
  "id of an event at `/mcp`": { play: (json) => readEventId(btoa(json)), parses: false },
  "line of an import": { play: (json) => new LineReader(body(`${json}\n`, { size: 65_536 })).header() },
  "message of an MCP server": {
    play: async (json) => (await server(answering(result(json)))("https://mcp.test/", posted("tools/call"))).json(),
    around: 4,
  },
  "event of an MCP server": {
    play: async (json) => {
      const events = answering(`event: message\ndata: ${result(json)}\n\n`, "text/event-stream");
      await parseEvents(await server(events)("https://mcp.test/", posted("tools/call")));
    },
    around: 4,
  },
  "pages of a list of an MCP server": {
    play: async (json) => {
      const fetch = server(answering(result(json)));
      await (await fetch("https://mcp.test/", posted("tools/list"))).json();
      await (await fetch("https://mcp.test/", posted("tools/list", { cursor: "1" }))).json();
    },
    around: 4,
  },
  "message of an MCP server over stdio": {
    play: (json) => {
      const messages = new BoundedMessages();
      const bytes = new TextEncoder().encode(`${result(`{"a":${json}}`)}\n`);
      for (let at = 0; at < bytes.length; at += 4096) messages.append(bytes.subarray(at, at + 4096));
      messages.readMessage();
    },
    around: 6,
  },
  "metadata and tokens of OAuth": {
    play: async (json) => (await oauthFetch(answering(json), [])("https://auth.test/")).json(),
  },
  "key set for JSON Web Tokens": {
    play: async (json) => {
      const keys = { type: "set" as const, url: new URL("https://keys.test/") };
      const check = createJwtCheck({ keys } as never, { now: () => 0, fetch: answering(json) as never });
      const token = `${base64Url('{"alg":"RS256"}')}.${base64Url("{}")}.AAAA`;
      expect(await check(token)).toMatchObject({ ok: false });
    },
  },
  "response of the DNS resolver": { play: (json) => readDnsAnswer(json) },
  "OpenAPI document in JSON": { play: (json) => readDocument(`{"openapi":"3.1.0","x":${json}}`, "address"), around: 4 },
  "response of an API that a definition shapes": {
    play: async (json) => {
      const response = await answering(json)("https://api.test/");
      const sent = { method: "GET", shownUrl: "https://api.test/", secrets: [], maxBytes: 1000, limits: [] };
      return apiResult(response, { ...sent, shape: () => "shaped" });
    },
  },
  "stream of a model": {
    play: async (json) => {
      const chunk = `{"id":"1","object":"chat.completion.chunk","model":"m","choices":[],"extra":${json}}`;
      const type = { headers: { "content-type": "text/event-stream" } };
      await ask(new Response(body(`data: ${chunk}\n\ndata: [DONE]\n\n`), type));
    },
    around: 10,
  },
  "error response of a model": {
    play: (json) => ask(new Response(body(`{"error":{"message":"no"},"extra":${json}}`), { status: 400 })),
    around: 10,
  },
  "access token of a cloud": { play: (json) => ask(new Response(body(json)), "azure") },
  "JSON that a model writes": { play: (json) => parseArguments(json) },
  "text of a tool's result": { play: (json) => resultValue(json) },
  "stored session of a loop": { play: (json) => decodeSession(encoder.encode(`{"a":${json}}`), "s"), around: 4 },
  "response of a collector of traces": { play: (json) => rejectedSpans(json.slice(0, 4096), 1) },
};

const repeat = (piece: string, length: number) => piece.repeat(Math.max(0, Math.ceil(length)));

/** Texts above the bounds of a row, by kind. */
function hostileTexts({ bytes, values, depth, keys }: Row): Record<string, string> {
  const most = keys ?? values;
  return {
    "a flat list": `[${repeat("1,", values)}1]`,
    "small objects": `[${repeat("{},", values)}1]`,
    "open lists": repeat("[", 2_000_000),
    "nested lists": repeat("[", depth + 1) + repeat("]", depth + 1),
    "nested objects": repeat('{"a":', depth + 1) + "1" + repeat("}", depth + 1),
    "many keys": `{${Array.from({ length: most + 1 }, (_, at) => `"k${at}":1`).join()}}`,
    "many keys in small objects": `[${Array.from({ length: values / 2 + 1 }, (_, at) => `{"k${at}":1}`).join()}]`,
    "escapes before many values": `["${repeat('\\"[{\\\\,', 1000)}",${repeat("1,", values)}1]`,
    "values after white space": `[${repeat(" \n1,", values)}1]`,
    ...(bytes === null ? {} : { "a long text of escapes": `"${repeat("\\u0041", bytes / 6 + 1)}"` }),
  };
}

/** Values, levels and keys of a text, counted apart from the reader that is tested. */
function measured(text: string): { values: number; depth: number; keys: number } {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"?/gs, "0");
  const firsts = bare.match(/[[{]\s*(?=[^\s\]}])/g) ?? [];
  let [values, depth, deepest, keys] = [1, 0, 0, 0];
  for (const character of bare) {
    if (character === ",") values += 1;
    if (character === ":") keys += 1;
    if (character === "[" || character === "{") depth += 1;
    if (character === "]" || character === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return { values: values + firsts.length, depth: deepest, keys };
}

/** Plays a text at an input. Returns the texts with its beginning that reached `JSON.parse`; a response parses its body by it too. */
async function reached({ play }: Player, text: string): Promise<string[]> {
  const parse = vi.spyOn(JSON, "parse");
  const json = vi.spyOn(Response.prototype, "json").mockImplementation(async function read(this: Response) {
    return JSON.parse(await this.text()) as never;
  });
  try {
    await play(text);
  } catch {
    // Hostile texts are refused.
  }
  const texts = parse.mock.calls.map(([parsed]) => parsed);
  parse.mockRestore();
  json.mockRestore();
  return texts.filter((parsed) => parsed.includes(text.slice(0, 100)));
}

afterEach(() => void vi.restoreAllMocks());

const special = ["OpenAPI document in YAML", "frontmatter of a skill", "page of `fetch_url`"];

describe("the table of untrusted inputs", () => {
  it("OUT23 Every row of the table of untrusted inputs is played, and every played input has a row", () => {
    expect(rows.map(({ input }) => input).toSorted()).toEqual([...Object.keys(players), ...special].toSorted());
  });
});

describe.each(rows.filter(({ input }) => input in players))("$input", (row) => {
  const player = players[row.input] as Player;
  const around = player.around ?? 0;

  it.each(Object.keys(hostileTexts({ ...row, values: 10, bytes: row.bytes === null ? null : 10 })))(
    `OUT23 At the input "${row.input}", %s reaches no parser above the bounds of the table`,
    async (kind) => {
      const text = hostileTexts(row)[kind] ?? "";
      const texts = await reached(player, text);
      for (const parsed of texts) {
        const { values, depth, keys } = measured(parsed);
        expect(values).toBeLessThanOrEqual(row.values);
        expect(depth).toBeLessThanOrEqual(row.depth);
        if (row.keys !== null) expect(keys).toBeLessThanOrEqual(row.keys);
        if (row.bytes !== null) expect(parsed.length).toBeLessThanOrEqual(row.bytes);
      }
    },
  );

  if (player.parses === false) return;
  it(`OUT23 At the input "${row.input}", a text just below the bounds is parsed`, async () => {
    const count = Math.min(row.values - around - 2, ((row.bytes ?? Infinity) - 200) / 2);
    const inner = `[${repeat("1,", count - 1)}1]`;
    const text = row.input.startsWith("pages") ? `[${repeat("1,", row.values / 2 - around - 2)}1]` : inner;
    const texts = await reached(player, text);
    expect(texts.some((parsed) => parsed.includes(text))).toBe(true);
  });
});

describe("inputs of other forms", () => {
  const rowOf = (input: string) => rows.find((row) => row.input === input) as Row;

  const tokens = numberOf(/[\d,]+ tokens/.exec(rowOf("OpenAPI document in YAML").more)?.[0]) ?? 0;

  it.each([
    ["a flat list", `a: [${repeat("1,", 500_000)}`, `more than ${tokens} tokens`],
    ["small objects", `a: [${repeat("{},", 300_000)}`, `more than ${tokens} tokens`],
    ["open lists", repeat("- [", 300_000), "more than 200 levels"],
    ["nested indicators", `a:\n ${repeat("- ", 500_000)}`, "more than 200 levels"],
    ["nested keys", repeat("? ", 500_000), "more than 200 levels"],
    ["growing indentation", Array.from({ length: 1400 }, (_, at) => `${" ".repeat(at)}a:`).join("\n"), "200 levels"],
    ["anchors and aliases", `- &a 1\n${repeat("- *a\n", 200_000)}`, `more than ${tokens} tokens`],
    ["merge keys", repeat("- <<: {}\n", 110_000), `more than ${tokens} tokens`],
    ["many keys", Array.from({ length: 70_000 }, (_, at) => `k${at}: 1`).join("\n"), `more than ${tokens} tokens`],
    ["comments", repeat("# x\n", 250_000), `more than ${tokens} tokens`],
    ["empty lines", repeat("\n", 1_000_000), `more than ${tokens} tokens`],
    ["many documents", repeat("--- 1\n", 170_000), "no valid YAML"],
    ["mistakes", repeat("]\n", 500_000), "no valid YAML"],
    ["a long block", `a: |\n${repeat("  x\n", 300_000)}`, "more than 1048576 characters"],
    ["a long text of escapes", `a: "${repeat("\\x41", 300_000)}"`, "more than 1048576 characters"],
  ])("OUT23 An OpenAPI document in YAML with %s is refused at a bound of the table", async (_, text, problem) => {
    expect(rowOf("OpenAPI document in YAML")).toMatchObject({ bytes: 1_048_576, depth: 200 });
    await expect(readDocument(text, "address")).rejects.toThrow(problem);
  });

  it("OUT23 An OpenAPI document in YAML just below the bound of its tokens is read", async () => {
    // A line of a list has five tokens: the indicator, a space, the mark of a scalar, the scalar, and a line break.
    const lines = (count: number) => `openapi: 3.1.0\nx:\n${repeat("- 1\n", count)}`;
    expect(await readDocument(lines(tokens / 5 - 10), "address")).toMatchObject({ openapi: "3.1.0" });
    await expect(readDocument(lines(tokens / 5 + 10), "address")).rejects.toThrow(`more than ${tokens} tokens`);
  });

  it("OUT23 Other tasks are executed while an OpenAPI document in YAML below its bounds is parsed", async () => {
    let tasks = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; tasks += 1) await systemClock.sleep(0, new AbortController().signal);
    })();
    await readDocument(`openapi: 3.1.0\nx:\n${repeat("- 1\n", tokens / 5 - 10)}`, "address");
    isOver = true;
    await counting;
    // The tokens are split, parsed, composed and converted: at least four pieces of each of the first two, and one of the others.
    expect(tasks).toBeGreaterThanOrEqual(8);
  });

  it("OUT23 A stream of an MCP server that arrives in one piece is passed on in several tasks", async () => {
    const events = repeat('data: {"jsonrpc":"2.0","method":"a"}\n\n', 5000);
    const sent = body(events, { size: Infinity });
    const fetch = () => Promise.resolve(new Response(sent, { headers: { "content-type": "text/event-stream" } }));
    const response = await server(fetch as never)("https://mcp.test/", posted("tools/call"));
    let tasks = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; tasks += 1) await systemClock.sleep(0, new AbortController().signal);
    })();
    const text = await response.text();
    isOver = true;
    await counting;
    expect(text.split("\n\n").filter((event) => event.includes('"method":"a"'))).toHaveLength(5000);
    // 180 KB in pieces of 16 KiB.
    expect(tasks).toBeGreaterThanOrEqual(10);
  });

  it("OUT23 A frontmatter above the bounds of the table is not parsed as YAML", () => {
    const { bytes, values } = rowOf("frontmatter of a skill");
    const codeOf = (block: string) => skillFrontmatter(`---\n${block}\n---\n`, "x");
    const keysOf = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1`).join("\n");
    // A line has seven tokens. A frontmatter that was parsed has no name.
    expect(codeOf(keysOf(values / 7 - 10))).toMatchObject({ code: "missing_field" });
    expect(codeOf(keysOf(values / 7 + 10))).toMatchObject({ code: "invalid_frontmatter" });
    // A text of more characters is read line by line.
    expect(codeOf(`name: [${repeat("x", bytes ?? 0)}]`)).toMatchObject({ code: "missing_field" });
    expect(codeOf(`name: ${repeat("x", bytes ?? 0)}`)).toMatchObject({ code: "missing_field" });
    expect(codeOf(repeat("- ", 4000))).toMatchObject({ code: "invalid_frontmatter" });
  });

  it.each(["<li>x", "<td>x", "<dt>x<dd>y", "<p>x", "<div>", "<rt>x", "<b>x</b>", "</p>", "<table><tr><td>x"])(
    "OUT23 A page of %s reaches the converter with as many tags as the table permits",
    (tags) => {
      const { bytes, values } = rowOf("page of `fetch_url`");
      const html = flatHtml(repeat(tags, (bytes ?? 0) / tags.length));
      expect((html.match(/<\/?[a-z]/gi) ?? []).length).toBeLessThanOrEqual(values);
      expect(flatHtml("<p>a</p>".repeat(values / 2))).toBe("<p>a</p>".repeat(values / 2));
    },
  );
});

it("OUT23 The counter that the inputs share counts as the tests do", () => {
  for (const text of Object.values(
    hostileTexts({ input: "", bytes: 100, values: 50, depth: 20, keys: null, more: "" }),
  )) {
    if (text.length > 10_000) continue;
    const meter = new JsonMeter({ values: Infinity, depth: Infinity });
    meter.read(text);
    expect(meter.values).toBe(measured(text).values);
  }
});
