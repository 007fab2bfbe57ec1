// Which thinking is sent again: the current run's always, an earlier run's only if the prompt asks for it. The tests read the bytes of a
// real request.

import { describe, expect, it } from "vitest";

import type { ModelMessage } from "#core/ports/model-port.ts";
import type { MessageRecord, StoredPart } from "#core/record/record.ts";
import { filteredMessages } from "#flow/request/filter-hooks.ts";
import { earlierMessages } from "#flow/request/history.ts";
import { defineAgent, definePrompt } from "#spec/index.ts";
import type { ReasoningConfig } from "#spec/index.ts";

import { capture } from "../models/sent-request.ts";
import { messageRecord } from "../store/records.ts";
import { hookRunner } from "./support/hooks.ts";

const look = { name: "look", description: "Looks", parameters: { type: "object" } };
const viewer = { side: "a", agent: defineAgent({ name: "main", sideA: { prompt: "p" } }) } as const;
const signed = (signature: string) => ({ provider: "anthropic", data: { anthropic: { signature } } });
const thought = (signature: string): StoredPart => ({
  type: "thinking",
  thinking: `thought ${signature}`,
  provider_data: signed(signature),
});
const call = (id: string): StoredPart => ({ type: "tool_call", id, name: "look", arguments: {} });
const text = (words: string): StoredPart => ({ type: "text", text: words });
const result = (n: number, id: string): MessageRecord =>
  messageRecord(n, {
    role: "tool",
    name: "look",
    tool_call_id: id,
    side: "a",
    result: { status: "success", result: "seen" },
  });
const answer = (n: number, ...parts: StoredPart[]): MessageRecord =>
  messageRecord(n, { role: "assistant", side: "a", step: 1, parts });

const earlier = [messageRecord(1), answer(2, thought("a1"), call("c1")), result(3, "c1"), answer(4, text("Seen."))];
const own = [messageRecord(5), answer(6, thought("a2"), call("c2")), result(7, "c2")];

/** The messages of a step after an earlier and the current run. */
async function sent(before: MessageRecord[], now: MessageRecord[], reasoning?: ReasoningConfig) {
  const prompt = definePrompt({
    name: "p",
    toolDescription: "",
    prompt: "",
    model: "m",
    includeChat: true,
    includePastTools: true,
    ...(reasoning === undefined ? {} : { reasoning }),
  });
  const records = [...earlierMessages(before, prompt, now), ...now];
  return filteredMessages({ included: records, stored: records }, hookRunner().runner, viewer);
}

async function bytes(messages: ModelMessage[]): Promise<string> {
  return JSON.stringify((await capture("anthropic", { messages, tools: [look] })).body);
}

describe("thinking of earlier runs", () => {
  it.for([undefined, {}, { effort: "high" }, { include: false }] as const)(
    "With the reasoning options %j, thinking of earlier runs is not sent, and thinking of the current run is sent",
    async (reasoning) => {
      const body = await bytes(await sent(earlier, own, reasoning));
      expect(body).not.toContain("a1");
      expect(body).toContain('{"type":"thinking","thinking":"thought a2","signature":"a2"}');
      expect(body).toContain('"id":"c1"');
    },
  );

  it("With the reasoning option `include`, thinking of earlier runs is sent, but only to the provider that created it", async () => {
    const messages = await sent(earlier, own, { include: true });
    expect(await bytes(messages)).toContain('{"type":"thinking","thinking":"thought a1","signature":"a1"}');
    for (const other of ["openai", "google", "openrouter"] as const) {
      expect(JSON.stringify((await capture(other, { messages })).body)).not.toMatch(/a1|a2|thought/);
    }
  });

  it("Signatures of thoughts in texts of earlier runs are sent only with `include`, like the thoughts themselves", async () => {
    const data = { provider: "google", data: { google: { thoughtSignature: "s1" } } };
    const marked = [messageRecord(1), answer(2, { ...text("Well"), provider_data: data }), messageRecord(3)];
    const without = await sent(marked, own);
    expect(JSON.stringify(without)).not.toContain("s1");
    const google = JSON.stringify(
      (await capture("google", { messages: await sent(marked, own, { include: true }) })).body,
    );
    expect(google).toContain('"thoughtSignature":"s1"');
  });

  it("An answer with only thinking is not sent as a message", async () => {
    const messages = await sent([messageRecord(1), answer(2, thought("a1")), messageRecord(3)], own);
    expect(messages.map(({ role }) => role)).toEqual(["user", "user", "user", "assistant", "tool"]);
  });
});

describe("a turn that an earlier run began", () => {
  const cut = earlier.slice(0, 3);

  it("If an earlier run began the current turn, its thinking is sent as long as the turn's last message is a tool result", async () => {
    expect(await bytes(await sent(cut, []))).toContain('"signature":"a1"');
    const second = [messageRecord(5), answer(6, thought("a2"), call("c2")), result(7, "c2")];
    const current = [answer(8, thought("a3"), call("c3")), result(9, "c3")];
    expect(await bytes(await sent([...earlier, ...second], current))).toMatch(/a2.*a3/);
  });

  it("The thinking of an earlier run is not sent if a user message or the run's final answer followed it", async () => {
    expect(await bytes(await sent(cut, own))).not.toContain("a1");
    expect(await bytes(await sent(earlier, []))).not.toContain("a1");
  });

  it("A sub-prompt of the current run is sent the thinking of that run, and none of earlier runs", async () => {
    const ofRun = (records: MessageRecord[]) => records.map((record) => ({ ...record, run_id: "r2" }));
    const inner = ofRun([messageRecord(8, { depth: 1 })]);
    const body = await bytes(await sent([...earlier, ...ofRun(own)], inner));
    expect(body).not.toContain("a1");
    expect(body).toContain('"signature":"a2"');
  });
});
