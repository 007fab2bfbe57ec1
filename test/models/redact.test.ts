// No secret leaves the model layer.

import { expect, it } from "vitest";

import { RawText } from "#models/raw-text.ts";
import { createRedact } from "#models/redact.ts";

import { collect, keys, model, providers, request, serverPort } from "./ask-model.ts";

it.for([
  ["Incorrect API key provided: sk-proj-****abcd1234.", "sk-proj"],
  ["https://host/v1?alt=sse&key=abcdef0123&x=1", "abcdef0123"],
  ["Authorization: Bearer abc.def-123", "abc.def-123"],
  ["key AIzaSyA-1234567890abcdefghijkl in use", "AIzaSyA"],
  ["my-own-secret stands here, and my-own-secret again", "my-own-secret"],
] as const)("REDACT1 A secret of the form %j is removed from the text", ([text, secret]) => {
  const clean = createRedact(["my-own-secret"])(text);
  expect(clean).not.toContain(secret);
  expect(clean).toContain("[redacted]");
});

it("REDACT1 A text without a secret stays unchanged", () => {
  const text = "A task-force of ten asked: which key=? Ask it.";
  expect(createRedact(["ten"])(text)).toBe(text);
});

it.for(providers)(
  "REDACT2 API keys in an error of the provider %s are removed from every part of the answer",
  async (provider) => {
    const said = Object.values(keys).join(" and ");
    const sent: string[] = [];
    const port = serverPort({
      fetch: (_input, init) => {
        sent.push(JSON.stringify([...new Headers(init?.headers)]));
        return Promise.resolve(Response.json({ error: { message: said, code: 400, status: "X" } }, { status: 400 }));
      },
    });
    const parts = await collect(port.stream(request(model(provider, "any")), new AbortController().signal));
    // The key was sent in the request, so the provider could repeat it.
    expect(Object.values(keys).some((key) => sent.join().includes(key))).toBe(true);
    const shown = JSON.stringify(parts);
    expect(shown).toContain("[redacted] and [redacted]");
    for (const key of Object.values(keys)) expect(shown).not.toContain(key);
  },
);

it("REDACT2 A key in a streamed chunk is removed from the raw chunk", async () => {
  const chunk = { id: "1", created: 1, model: "m", choices: [{ index: 0, delta: { content: keys.GOOGLE_API_KEY } }] };
  const body = `data: ${JSON.stringify(chunk)}\n\n`;
  const port = serverPort({
    fetch: () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })),
  });
  const parts = await collect(port.stream(request(model("openai", "any")), new AbortController().signal));
  const raw = parts.filter((part) => part.type === "raw").map((part) => part.chunk);
  expect(raw.join()).toContain("[redacted]");
  expect(raw.join()).not.toContain(keys.GOOGLE_API_KEY);
});

/** The chunks in the log, as one text. */
function rawOf(secrets: string[], chunks: unknown[]): string {
  const raw = new RawText(secrets, createRedact(secrets));
  return [...chunks.flatMap((chunk) => raw.take(chunk)), ...raw.end()].join("\n");
}

const delta = (content: string) => ({ id: "s", choices: [{ delta: { content } }] });

it("REDACT3 A key that arrives in pieces, each in its own chunk, is removed from the raw text", async () => {
  const secret = keys.OPENAI_API_KEY;
  const events = [`Is it ${secret.slice(0, 9)}`, secret.slice(9, 12), "", `${secret.slice(12)}?`].map((content) => {
    const chunk = { id: "1", created: 1, model: "m", choices: [{ index: 0, delta: { content } }] };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  });
  const headers = { "content-type": "text/event-stream" };
  const port = serverPort({ fetch: () => Promise.resolve(new Response(events.join(""), { headers })) });
  const parts = await collect(port.stream(request(model("openai", "any")), new AbortController().signal));
  const raw = parts.flatMap((part) => (part.type === "raw" ? part.chunk : [])).join("");
  expect(raw.match(/"content":"[^"]*"/g)).toEqual([
    '"content":"Is it "',
    '"content":""',
    '"content":""',
    '"content":"[redacted]?"',
  ]);
  expect(parts.at(-1)?.type).toBe("error");
});

it.for<[string, string[], string[]]>([
  ["is no key after all", ["my-own", "-opinion"], ["my-own", "-opinion"]],
  ["begins again in the middle", ["my-own-my-o", "wn-secret"], ["my-own-", "[redacted]"]],
  [
    "is followed by another",
    ["my-own-secretmy-ow", "n-secretmy", "-own-secret"],
    ["[redacted]", "[redacted]", "[redacted]"],
  ],
  ["is never finished", ["so my-own-sec"], ["so my-own-sec"]],
])(
  "REDACT3 Raw text is emitted unchanged, except for keys, also if the beginning of a key %s",
  ([, given, expected], { expect: expectHere }) => {
    expectHere(rawOf(["my-own-secret"], given.map(delta))).toBe(
      expected.map((content) => JSON.stringify(delta(content))).join("\n"),
    );
  },
);

it("REDACT3 A chunk is held back only while its end may be the beginning of a key", () => {
  const raw = new RawText(["secret"], createRedact(["secret"]));
  const emitted = [delta("a"), delta("b"), delta("c")].map((chunk) => raw.take(chunk).length);
  // The id ends in the key's first letter, in every chunk.
  expect(emitted).toEqual([0, 1, 1]);
  expect([raw.end().length, raw.end().length]).toEqual([1, 0]);
});

it("REDACT3 A key in three chunks is removed wherever it is split", () => {
  const secret = "my-own-secret";
  for (let first = 1; first < secret.length - 1; first += 1) {
    for (let second = first + 1; second < secret.length; second += 1) {
      const pieces = [secret.slice(0, first), secret.slice(first, second), secret.slice(second)];
      const texts = rawOf([secret], pieces.map(delta));
      const joined = [...texts.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join("");
      expect(joined).toBe("[redacted]");
    }
  }
});

it("REDACT3 A held-back chunk is emitted before the failure when the stream breaks", async () => {
  const said = { id: "1", created: 1, model: "m", choices: [{ index: 0, delta: { content: "so sk-test-ope" } }] };
  const broken = { error: { message: "overloaded", type: "server_error", code: null, param: null } };
  const body = [said, broken].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  const port = serverPort({ fetch: () => Promise.resolve(new Response(body, { headers })) });
  const parts = await collect(port.stream(request(model("openai", "any")), new AbortController().signal));
  expect(parts.at(-1)).toMatchObject({ type: "error", failure: { message: expect.stringContaining("overloaded") } });
  const raw = parts.flatMap((part) => (part.type === "raw" ? part.chunk : [])).join("");
  expect(raw).toContain('"content":"so ');
  expect(raw).toContain("overloaded");
});

it("REDACT3 A text that may be the beginning of a key holds back at most 512 Ki characters of a stream, and later chunks are ignored", () => {
  const secrets = ["sk-test-openai-0001"];
  const raw = new RawText(secrets, createRedact(secrets));
  const texts = raw.take({ tool: "list_files" });
  for (let chunk = 0; chunk < 2000; chunk++) texts.push(...raw.take({ delta: "x".repeat(1000) }));
  texts.push(...raw.end());
  expect(texts[0]).toBe(`{"tool":"list_files"}`);
  expect(texts.join("").length).toBeGreaterThan(512 * 1024);
  expect(texts.join("").length).toBeLessThan(514 * 1024);
});

it("REDACT3 Chunks are ignored after 200 texts at different places that may be the beginning of a key", () => {
  const secrets = ["sk-test-openai-0001"];
  const raw = new RawText(secrets, createRedact(secrets));
  for (let chunk = 0; chunk < 1000; chunk++) raw.take({ [`field${chunk}`]: "s" });
  expect(raw.end()).toHaveLength(201);
});
