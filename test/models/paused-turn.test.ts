// Turns that Anthropic pauses while it executes its own tools: the answer is sent back as it is, and the model continues.

import { describe, expect, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";

import { collect, model, readAnswer, request, serverEnv, serverPort } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";

type Event = { type: string } & Record<string, unknown>;

const stream = (...events: Event[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const start = (input_tokens: number): Event => ({
  type: "message_start",
  message: { id: "msg_1", role: "assistant", model: "claude", content: [], usage: { input_tokens, output_tokens: 1 } },
});
const block = (index: number, content_block: object, ...deltas: object[]): Event[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta): Event => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const text = (index: number, said: string): Event[] =>
  block(index, { type: "text", text: "" }, { type: "text_delta", text: said });
const end = (stop_reason: string, output_tokens: number): Event[] => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens } },
  { type: "message_stop" },
];
const search = block(
  2,
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
  { type: "input_json_delta", partial_json: '{"query":' },
  { type: "input_json_delta", partial_json: '"rain"}' },
);
const thought = block(
  0,
  { type: "thinking", thinking: "", signature: "" },
  { type: "thinking_delta", thinking: "Search " },
  { type: "thinking_delta", thinking: "first." },
  { type: "signature_delta", signature: "sig" },
);
const paused = stream(
  start(10),
  ...thought,
  ...text(1, "Let me look. "),
  ...search,
  ...text(3, "\n"),
  ...end("pause_turn", 5),
);

const searching = model("anthropic", "claude-opus-4-7", { providerTools: [{ type: "web_search_20250305" }] });

/** The parts of the answer, and the messages of each request. */
async function ask(answers: readonly ((request: number) => Response)[]) {
  const sent: { role: string; content: unknown }[][] = [];
  const port = serverPort({
    env: serverEnv("https://provider.example"),
    fetch: (_input, init) => {
      const { messages } = JSON.parse(typeof init?.body === "string" ? init.body : "{}") as { messages: never };
      sent.push(messages);
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      return Promise.resolve(answer === undefined ? Response.error() : answer(sent.length));
    },
  });
  const parts: ModelPart[] = await collect(port.stream(request(searching), new AbortController().signal));
  expect(grammarFaults(parts)).toEqual([]);
  return { sent, parts, ...readAnswer(parts) };
}

const pausing = (request: number): Response => new Response(paused.replace("srvtoolu_1", `srvtoolu_${request}`));

it("ANSWER3 A turn that Anthropic pauses is continued with its content as it was, and is one answer with the tokens of both requests", async () => {
  const rest = stream(start(20), ...text(0, "It rains."), ...end("end_turn", 7));
  const { sent, text: said, end: last } = await ask([pausing, () => new Response(rest)]);
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual([
    ...(sent[0] ?? []),
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Search first.", signature: "sig" },
        { type: "text", text: "Let me look. " },
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "rain" } },
      ],
    },
  ]);
  expect(said).toBe("Let me look. \nIt rains.");
  expect(last).toMatchObject({
    type: "finish",
    stop_reason: "stop",
    usage: { input: 30, output: 12, total_tokens: 42 },
  });
});

it("ANSWER3 A turn that pauses again and again ends after a fixed number of requests", async () => {
  const { sent, end: last } = await ask([pausing]);
  expect(sent).toHaveLength(11);
  expect(sent[10]?.at(-1)?.content).toHaveLength(30);
  expect(last).toMatchObject({ type: "finish", stop_reason: "stop", usage: { input: 110, output: 55 } });
});

it("A paused turn whose continuation is refused fails with the class and the message of the refusal", async () => {
  const refused = () =>
    Response.json({ type: "error", error: { type: "rate_limit_error", message: "Slow down." } }, { status: 429 });
  const { end: last } = await ask([pausing, refused]);
  expect(last).toMatchObject({ type: "error", failure: { kind: "rate_limited", message: "Slow down.", status: 429 } });
});

describe("a turn that fails after two pauses", () => {
  /** The beginning of the third response: its prompt, and 40 characters of text, which are estimated as 10 tokens. */
  const begun = stream(
    start(30),
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "It rains, ".repeat(4) } },
  );
  const overloaded = stream({ type: "error", error: { type: "overloaded_error", message: "Overloaded." } });
  const refusal = { type: "error", error: { type: "rate_limit_error", message: "Slow down." } };
  const open = (): Response =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(begun)),
      }),
    );
  const cases: [string, () => Response, string, object][] = [
    ["is refused", () => Response.json(refusal, { status: 429 }), "rate_limited", { input: 20, output: 10 }],
    ["is answered by a page in place of a stream", () => new Response("<p>Busy</p>"), "api", { input: 20, output: 10 }],
    ["is redirected", () => Response.redirect("https://other.example/", 307), "api", { input: 20, output: 10 }],
    ["gets no response", () => Response.error(), "network", { input: 20, output: 10 }],
    [
      "is overloaded in the middle of its response",
      () => new Response(begun + overloaded),
      "network",
      { input: 50, output: 20 },
    ],
    ["has a response that is cut", () => new Response(begun), "network", { input: 50, output: 20 }],
    ["is stopped by the user", open, "aborted", { input: 50, output: 20 }],
  ];

  const paths = [
    ["read directly", true],
    ["read by the package", false],
  ] as const;

  it.each(paths.flatMap(([path, direct]) => cases.map(([name, ...one]) => [path, name, direct, ...one] as const)))(
    "LIMIT31 If the deltas are %s and a request that continues the turn %s, the failure has the tokens of all requests",
    async (_path, _name, direct, last, kind, usage) => {
      const answers = [pausing, pausing, last];
      const stop = new AbortController();
      let sent = 0;
      const port = serverPort({
        env: serverEnv("https://provider.example"),
        direct,
        fetch: () => {
          const answer = answers[sent] ?? (() => Response.error());
          sent += 1;
          return Promise.resolve(answer(sent));
        },
      });
      const parts: ModelPart[] = [];
      for await (const part of port.stream(request(searching), stop.signal)) {
        parts.push(part);
        if (kind === "aborted" && part.type === "text_delta" && part.delta.startsWith("It")) stop.abort();
      }
      expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind }, usage });
      expect(sent).toBe(3);
    },
  );
});

it("LIMIT31 The tokens of a response that pauses are those of its last event, which has the prompts of all searches", async () => {
  const searched = stream(
    start(10),
    ...search,
    { type: "message_delta", delta: { stop_reason: "pause_turn" }, usage: { input_tokens: 900, output_tokens: 5 } },
    { type: "message_stop" },
  );
  const rest = stream(start(20), ...text(0, "It rains."), ...end("end_turn", 7));
  const { end: last } = await ask([() => new Response(searched), () => new Response(rest)]);
  expect(last).toMatchObject({ type: "finish", usage: { input: 920, output: 12 } });
});
