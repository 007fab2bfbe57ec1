// The last bytes of an answer: after the event that ends an answer in its protocol, nothing that a server sends, omits or cuts makes the
// answer fail, so that a complete answer is never requested and paid again.

import { describe, expect, it } from "vitest";

import { platformTimers } from "#lib/timers.ts";
import { answerPieces, newExchange } from "#models/observed-fetch.ts";

import { answerTo } from "./answer-to.ts";
import { providers, type Provider, wireOf, type Wire } from "./ask-model.ts";
import { textOf } from "./fixture-bytes.ts";

/** The line that completes an answer in each protocol. */
const completing: Record<Wire, RegExp> = {
  openai: /^data:.*"finish_reason":"[a-z_]+".*$/m,
  openrouter: /^data:.*"finish_reason":"[a-z_]+".*$/m,
  "openai-responses": /^data:.*"type":"response\.completed".*$/m,
  anthropic: /^data:.*"stop_reason":"[a-z_]+".*$/m,
  google: /^data:.*"finishReason": ?"[A-Z_]+".*$/m,
  bedrock: /^data:.*"stopReason":"[a-z_]+".*$/m,
};

/** The text of a case, and the offset at which its answer is complete. */
async function completeAt(provider: Provider, name: string) {
  const text = await textOf(provider, name);
  const found = completing[wireOf(provider)].exec(text);
  if (found === null) throw new Error("the case has no such line");
  return { text, end: found.index + found[0].length };
}

const cases = providers.flatMap((provider) => ["text", "tool-call"].map((name) => [provider, name] as const));

describe("a body that ends early", () => {
  it.for(cases)(
    "ANSWER1 An answer of %s (case %s) is complete wherever its body is cut after it",
    async ([provider, name]) => {
      const { text, end } = await completeAt(provider, name);
      const whole = await answerTo(provider, text);
      // Gateways add the end mark of Chat Completions to every protocol.
      const sent = `${text.trimEnd()}\n\nevent: done\ndata: [DONE]\n\n`;
      // Every cut near the two ends, and some between them.
      const isTried = (length: number): boolean => length < end + 30 || length > sent.length - 50 || length % 23 === 0;
      for (let length = end; length <= sent.length; length += 1) {
        if (!isTried(length)) continue;
        for (const pieces of ["whole", "reset"] as const) {
          const { text: said, calls, end: last } = await answerTo(provider, sent.slice(0, length), pieces);
          expect({ length, pieces, said, calls, last }).toMatchObject({
            said: whole.text,
            calls: whole.calls,
            last: { type: "finish", stop_reason: whole.end.type === "finish" ? whole.end.stop_reason : null },
          });
        }
      }
    },
  );
});

describe("events after the answer", () => {
  it.for(
    providers.flatMap((provider) =>
      ['{"error":{"message":"The meter failed.","type":"server_error"}}', '{"usage', "Gateway timeout"].map(
        (data) => [provider, data] as const,
      ),
    ),
  )(
    "ANSWER1 An answer of %s is complete although the server sends %s after its finish reason",
    async ([provider, data]) => {
      const { text, end } = await completeAt(provider, "text");
      const sent = `${text.slice(0, end)}\n\ndata: ${data}\n\n${text.slice(end).trimStart()}`;
      const { text: said, end: last, parts } = await answerTo(provider, sent);
      expect([said, last]).toMatchObject(["Hello there, how can I help?", { type: "finish", stop_reason: "stop" }]);
      // After the last event of its protocol a connection is closed, so that the rest is not read.
      if (wireOf(provider) !== "openai-responses") {
        expect(JSON.stringify(parts.filter((part) => part.type === "raw"))).toContain("After the end of the answer");
      }
    },
  );

  it("An error before the finish reason ends the answer, also if both arrive in one piece", async () => {
    const { text, end } = await completeAt("openai", "text");
    const start = text.lastIndexOf("data:", end);
    const sent = `${text.slice(0, start)}data: {"error":{"message":"The meter failed."}}\n\n${text.slice(start)}`;
    expect((await answerTo("openai", sent)).end).toMatchObject({ type: "error" });
  });

  it("A finish reason that names a failure does not complete an answer", async () => {
    const chunk = { id: "c", choices: [{ index: 0, delta: { content: "Hel" }, finish_reason: "error" }] };
    const error = { error: { message: "The runner has stopped." } };
    const sent = [chunk, error].map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");
    expect((await answerTo("openai", sent)).end).toMatchObject({
      type: "error",
      failure: { message: "The runner has stopped." },
    });
  });
});

describe("events without a piece of the answer", () => {
  const fillers = [
    "data:\n\n",
    "data: \n\n",
    "data\n\n",
    ": a comment\n\n",
    "event: ping\n\n",
    "event: ping\ndata:\n\n",
    "event: keepalive\ndata: {}\n\n",
    "data: [PING]\n\n",
    "data: keep-alive\n\n",
    "data: null\n\n",
    "id: 7\nretry: 10\n\n",
    "\n\n\n",
  ];

  it.for(providers.flatMap((provider) => ["\n", "\r\n", "\r"].map((lineEnd) => [provider, lineEnd] as const)))(
    "Keep-alives, comments, events without data and a byte order mark change nothing in an answer of %s with line ends %j",
    async ([provider, lineEnd]) => {
      const text = (await textOf(provider, "tool-call")).replaceAll(/\r\n|\n/g, "\n");
      const whole = await answerTo(provider, text);
      const events = text.split(/(?<=\n\n)/);
      const filled =
        events.map((event, at) => (fillers[at % fillers.length] ?? "") + event).join("") + fillers.join("");
      const sent = `\uFEFF${fillers.join("")}${filled}`.replaceAll("\n", lineEnd);
      for (const pieces of ["whole", "bytes"] as const) {
        const { text: said, thinking, calls, end } = await answerTo(provider, sent, pieces);
        expect({ said, thinking, calls, end }).toEqual({
          said: whole.text,
          thinking: whole.thinking,
          calls: whole.calls,
          end: whole.end,
        });
      }
    },
  );
});

describe("the bytes that the package of a provider reads", () => {
  const piecesOf = async (...sent: string[]): Promise<string[]> => {
    const body = new Response(sent.join("")).body ?? new ReadableStream<Uint8Array>();
    const watch = { exchange: newExchange(), received: () => {}, timers: platformTimers, reusesConnection: false };
    const { read } = answerPieces(body, watch);
    const texts: string[] = [];
    for (let piece = await read(); piece !== null; piece = await read()) texts.push(piece.text);
    return texts;
  };

  it("A stream is passed on unchanged if its last event is followed by an empty line", async () => {
    const sent = 'data: {"choices":[]}\n\ndata: [DONE]\n\n';
    expect((await piecesOf(sent)).join("")).toBe(sent);
  });

  it("An empty line is added to a stream if its last event lacks one", async () => {
    const sent = 'data: {"choices":[]}\n\ndata: {"choices":[]}';
    expect((await piecesOf(sent)).join("")).toBe(`${sent}\n\n`);
  });
});
