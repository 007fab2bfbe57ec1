// Streams of providers whose events are framed in other ways than the protocol has: the answer is the same, and none is requested again.

import { describe, expect, it } from "vitest";

import { isObject, parseJson } from "#lib/json-value.ts";

import { answerTo } from "./answer-to.ts";
import { collect, model, providers, request, serverEnv, serverPort } from "./ask-model.ts";
import { textOf } from "./fixture-bytes.ts";

/** The data of the events of a stream. */
function dataOf(stream: string): string[] {
  const lines = stream.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice("data:".length).trim());
}

const isJson = (data: string): boolean => isObject(parseJson(data));
const pretty = (data: string): string[] =>
  isJson(data) ? JSON.stringify(JSON.parse(data), null, 2).split("\n") : [data];

/** Joins each event with the next one, if both are JSON. */
function joined(data: string[], between: string): string {
  const lines: string[] = [];
  for (const [at, each] of data.entries()) {
    const before = lines.at(-1);
    const joins = at % 2 === 1 && before !== undefined && isJson(before) && isJson(each);
    if (joins) lines[lines.length - 1] = before + between + each;
    else lines.push(each);
  }
  return lines.map((line) => `data: ${line}\n\n`).join("");
}

const framings: [string, (data: string[]) => string][] = [
  [
    "several lines of data in an event",
    (data) => data.map((each) => `data: ${pretty(each).join("\ndata: ")}\n\n`).join(""),
  ],
  [
    "several lines of data with Windows line ends",
    (data) => data.map((each) => `data: ${pretty(each).join("\r\ndata: ")}\r\n\r\n`).join(""),
  ],
  ["two objects in one line", (data) => joined(data, "")],
  ["two objects in one line with a space", (data) => joined(data, " ")],
  ["the name of the field twice", (data) => data.map((each) => `data: data: ${each}\n\n`).join("")],
  ["one line end between events", (data) => data.map((each) => `data: ${each}\n`).join("")],
  ["no names of fields", (data) => data.map((each) => `${each}\n`).join("")],
  [
    "names of other events",
    (data) =>
      data
        .map((each, at) => `event: ${["error", "ping", "response.failed", "message_stop"][at % 4]}\ndata: ${each}\n\n`)
        .join(""),
  ],
  [
    "fields that report no error",
    (data) =>
      data
        .map((each, at) => {
          const odd = { error: [null, "", {}, false][at % 4], metadata: null, service_tier: null };
          return `data: ${isJson(each) ? JSON.stringify({ ...odd, ...JSON.parse(each) }) : each}\n\n`;
        })
        .join(""),
  ],
];

describe.each(providers)("the stream of %s", (provider) => {
  it("ANSWER4 A success without a body is an answer that broke off, and is requested again", async () => {
    const response = new Response(null, { status: 204 });
    const port = serverPort({ env: serverEnv("https://provider.example"), fetch: () => Promise.resolve(response) });
    const parts = await collect(port.stream(request(model(provider, "any")), new AbortController().signal));
    expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "network", retryable: true } });
  });

  it.for(framings.flatMap(([name, frame]) => ["text", "tool-call"].map((kind) => [name, kind, frame] as const)))(
    "ANSWER5 An answer is complete although its stream has %s (case %s)",
    async ([, kind, frame]) => {
      const stream = await textOf(provider, kind);
      const whole = await answerTo(provider, stream);
      for (const pieces of ["whole", "bytes"] as const) {
        const { text, thinking, calls, end } = await answerTo(provider, frame(dataOf(stream)), pieces);
        expect({ pieces, text, thinking, calls, end }).toEqual({
          pieces,
          text: whole.text,
          thinking: whole.thinking,
          calls: whole.calls,
          end: whole.end,
        });
      }
    },
  );
});
