// Transcripts with content that models emit and APIs refuse. The model port sends none of it: the rules of each API are applied to every
// request (`test/support/wire-rules`).

import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import type { ModelMessage } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";

import { callAndResult, message, providers, user, type Provider, wireOf } from "./ask-model.ts";
import { capture } from "./sent-request.ts";

const half = "half \ud83d";
const tools = [{ name: "get_weather", description: `Weather ${half}`, parameters: { type: "object", properties: {} } }];
const text = (said: string): StoredPart => ({ type: "text", text: said });
const call = (id: string, args: unknown = { city: "Oslo" }, name = "get_weather"): StoredPart => ({
  type: "tool_call",
  id,
  name,
  arguments: args as never,
});
const result = (id: string, said: string): ModelMessage =>
  message("tool", { name: "get_weather", tool_call_id: id, result: { status: "success", result: said } });
const failure = (id: string, error: string | undefined, said?: string): ModelMessage =>
  message("tool", {
    name: "get_weather",
    tool_call_id: id,
    result: {
      status: "error",
      ...(error === undefined ? {} : { error }),
      ...(said === undefined ? {} : { result: said }),
    },
  });
const blanks = [
  "",
  " ",
  "\n\n",
  "\u00a0",
  "\u200b",
  "\ufeff",
  "\u3000",
  "\u2060\u200d",
  "\ufe0f",
  "\u2800",
  "\u3164",
  "\t\u0000",
];

async function sentBy(provider: Provider, messages: ModelMessage[], system = "Be brief."): Promise<string> {
  return JSON.stringify((await capture(provider, { messages, tools, system }, { model: "claude-opus-4-7" })).body);
}

describe.for(providers)("history for %s", (provider) => {
  it.for(blanks)("HISTORY1 A request contains no text without a visible character: %j", async (blank) => {
    const messages = [
      user(blank),
      message("assistant", { parts: [text(blank), call("toolu_01AAAAAAAAAAAA01"), text(blank)] }),
      result("toolu_01AAAAAAAAAAAA01", blank),
      message("assistant", { parts: [text(blank)] }),
      user("So?"),
      message("system", { parts: [text(blank)] }),
    ];
    const sent = await sentBy(provider, messages, blank);
    expect(sent).toContain("(no text)");
    if (blank.trim() !== blank || blank.length > 1) expect(sent).not.toContain(JSON.stringify(blank));
  });

  it.for(blanks)(
    "HISTORY1 An error without a visible character is sent as the result, or as a sentence: %j",
    async (blank) => {
      const id = "toolu_01AAAAAAAAAAAA01";
      const requested = [user("?"), message("assistant", { parts: [call(id)] })];
      for (const said of [undefined, blank]) {
        const sent = await sentBy(provider, [...requested, failure(id, blank, said)]);
        expect(sent).toContain("The tool failed without saying why.");
      }
      expect(await sentBy(provider, [...requested, failure(id, blank, "No such city.")])).toContain("No such city.");
    },
  );

  it("HISTORY1 A request contains no half of a surrogate pair, in any text, name, id and argument", async () => {
    const id = `call_${half}`;
    const args = { [half]: [half, { deep: half, json: JSON.stringify({ text: half }) }] };
    const messages = [
      user(half),
      message("assistant", { parts: [text(half), call(id, args)] }),
      result(id, JSON.stringify({ text: half })),
      message("system", { parts: [text(half)] }),
      user("So?"),
    ];
    const sent = await sentBy(provider, messages, half);
    expect(sent).not.toMatch(/\\ud83d/i);
    expect(sent).toContain("half \ufffd");
  });

  it("A request keeps escapes of surrogates in a text that is not JSON, such as source code", async () => {
    const code = "const half = /[\\ud800-\\udfff]/;";
    const sent = await sentBy(provider, [user(code)]);
    expect(sent).toContain(JSON.stringify(code).slice(1, -1));
  });

  it("A half of a surrogate pair in JSON changes nothing else of the JSON, also not its numbers", async () => {
    const json = '{"big": 12345678901234567890, "a":1,"a":2, "pair":"\\ud83d\\ude00", "t":"\\ud83d", "e":"\\\\ud83d"}';
    const clean = json.replace('"t":"\\ud83d"', '"t":"\ufffd"');
    expect(await sentBy(provider, [user(json)])).toContain(JSON.stringify(clean).slice(1, -1));
  });

  it("HISTORY1 A request has a result for each call, and no result without a call", async () => {
    const messages = [
      result("toolu_01BBBBBBBBBBBB01", "nobody asked"),
      message("assistant", { parts: [call("toolu_01AAAAAAAAAAAA01"), call("toolu_01AAAAAAAAAAAA02")] }),
      result("toolu_01AAAAAAAAAAAA02", "sunny"),
      result("toolu_01AAAAAAAAAAAA02", "twice"),
      user("So?"),
      message("assistant", { parts: [call("toolu_01AAAAAAAAAAAA03")] }),
    ];
    const sent = await sentBy(provider, messages);
    expect(sent).toContain("sunny");
    expect(sent).not.toMatch(/nobody asked|twice/);
  });

  it("HISTORY1 A call of a tool that does not exist is sent with a name that APIs accept, whatever name the model invented", async () => {
    const names = [
      "",
      " ",
      "functions.get_weather",
      "get weather",
      "погода",
      half,
      "a".repeat(70),
      "1st",
      "x<|channel|>",
    ];
    const ids = names.map((_, at) => `toolu_01AAAAAAAAAAAA${String(at).padStart(2, "0")}`);
    const calls = ids.map((id, at) => call(id, { city: "Oslo" }, names[at]));
    const messages = [
      user("?"),
      message("assistant", { parts: calls }),
      ...ids.map((id) => failure(id, "no such tool")),
    ];
    const sent = await sentBy(provider, [...messages, user("So?")]);
    expect(sent.match(/"name":"_[a-zA-Z0-9_-]+_[0-9a-f]{8}"/g)?.length).toBeGreaterThanOrEqual(names.length - 2);
    // Different names stay different. Two of them need an underscore only.
    expect(new Set(sent.match(/_[0-9a-f]{8}"/g)).size).toBeGreaterThanOrEqual(names.length - 2);
  });

  it("HISTORY1 A result that follows other messages is sent after its call", async () => {
    const [first, second] = ["toolu_01AAAAAAAAAAAA01", "toolu_01AAAAAAAAAAAA02"];
    const requested = message("assistant", { parts: [call(first), call(second)] });
    const late = [user("?"), requested, result(first, "sunny"), user("Hurry."), result(second, "windy"), user("So?")];
    const sent = await sentBy(provider, late);
    expect(sent).toMatch(/sunny.*windy.*Hurry.*So\?/);
    expect(sent).not.toContain("no result");
    // An id that occurs again: each result belongs to the last call before it.
    const again = [
      requested,
      user("Go on."),
      message("assistant", { parts: [call(second)] }),
      user("Hm."),
      result(second, "windy"),
    ];
    expect(await sentBy(provider, again)).toMatch(/Go on\..*windy.*Hm\./);
  });

  it("HISTORY1 A request contains no thinking without a signature, and none that nothing follows", async () => {
    const thinking = (data: object): StoredPart => ({
      type: "thinking",
      thinking: "secret thought",
      provider_data: { provider, data: data as never },
    });
    const unsigned = [{}, { anthropic: {} }, { anthropic: { signature: "" } }, { openai: { itemId: "rs_1" } }];
    for (const data of unsigned) {
      const messages = [user("?"), message("assistant", { parts: [thinking(data), text("Yes.")] }), user("So?")];
      const sent = await sentBy(provider, messages);
      if (wireOf(provider) === "anthropic" || wireOf(provider) === "openai-responses")
        expect(sent).not.toContain("secret thought");
    }
    const signed = { anthropic: { signature: "s" }, openai: { itemId: "rs_1", reasoningEncryptedContent: "g" } };
    const last = [user("?"), message("assistant", { parts: [text("Yes."), thinking(signed)] }), user("So?")];
    await sentBy(provider, last);
  });

  it("A request has no empty list, whatever a transcript lacks", async () => {
    for (const messages of [[], [message("assistant")], [message("user")], [message("system")]]) {
      expect(await sentBy(provider, messages, "")).not.toContain("[]");
    }
  });

  it("HISTORY1 A request breaks no rule of its protocol, whatever a transcript contains", async () => {
    const words = fc.oneof(fc.constantFrom(...blanks, half, "Yes."), fc.string({ unit: "binary", maxLength: 6 }));
    const ids = fc.constantFrom(
      "toolu_01AAAAAAAAAAAA01",
      "call_1_0123456789ab",
      "functions.get:0_0123456789ab",
      `x${half}`,
    );
    const data = fc.constantFrom({}, { anthropic: { signature: "" } }, { anthropic: { signature: "s" } });
    const thinking = fc.tuple(words, data).map(([thought, kept]): StoredPart => ({
      type: "thinking",
      thinking: thought,
      provider_data: { provider, data: kept },
    }));
    const files = fc
      .tuple(words, fc.constantFrom("application/pdf", "image/png", "text/plain"))
      .map(([name, mime_type]): StoredPart => ({ type: "file", path: `/${name}`, name, mime_type }));
    const parts = fc.array(
      fc.oneof(
        words.map(text),
        thinking,
        files,
        ids.map((id) => call(id)),
      ),
      { maxLength: 3 },
    );
    const once = (list: StoredPart[]): StoredPart[] =>
      list.filter(
        (part, at) =>
          part.type !== "tool_call" ||
          list.findIndex((other) => other.type === "tool_call" && other.id === part.id) === at,
      );
    const one = fc.oneof(
      fc.record({ said: words }).map(({ said }) => user(said)),
      parts.map((list) => message("assistant", { parts: once(list) })),
      fc.tuple(ids, words).map(([id, said]) => result(id, said)),
      fc.tuple(ids, fc.option(words, { nil: undefined }), words).map(([id, error, said]) => failure(id, error, said)),
      fc.tuple(words, files).map(([said, file]) => message("user", { parts: [text(said), file] })),
      words.map((said) => message("system", { parts: [text(said)] })),
    );
    const valid = fc.asyncProperty(fc.array(one, { maxLength: 8 }), words, async (messages, system) => {
      await sentBy(provider, messages, system);
    });
    await fc.assert(valid, { seed: inject("modelServerSeed"), numRuns: 60 });
  });
});

describe("ids of calls", () => {
  const sentIds = async (provider: Provider, ids: string[], definition = {}): Promise<string[]> => {
    const messages = [user("?"), ...ids.flatMap((id) => [...callAndResult(id), user("?")])];
    const sent = JSON.stringify((await capture(provider, { messages, tools }, definition)).body);
    return [...sent.matchAll(/"(?:id|call_id)":"([^"]+)"/g)].map(([, id]) => id ?? "");
  };

  it("An id that a provider gave is sent without the name of the step, unless an earlier call of the request has it", async () => {
    const kimi = "functions.get_weather:0";
    const ids = [`${kimi}_0123456789ab`, `${kimi}_ba9876543210`, "call_1_0123456789ab_2"];
    expect(await sentIds("openai", ids)).toEqual([kimi, `${kimi}_ba9876543210`, "call_1"]);
    // Anthropic refuses these characters.
    const [first, second] = await sentIds("anthropic", ids);
    expect(
      [first, second].every((id) => /^functions_get_weather_0_0123|^functions_get_weather_0_ba98/.test(id ?? "")),
    ).toBe(true);
  });

  it("Mistral is sent its own ids unchanged", async () => {
    const mistral = { baseUrl: "https://api.mistral.ai/v1" };
    expect(await sentIds("openai", ["g6fVbXS8K_0123456789ab"], mistral)).toEqual(["g6fVbXS8K"]);
  });

  it("An id of up to 64 characters is sent unchanged over the Responses API, and of up to 40 over Chat Completions", async () => {
    const id = `call_${"a1".repeat(25)}`;
    expect((await sentIds("openai-responses", [id]))[0]).toBe(id);
    expect((await sentIds("openai", [id]))[0]).toMatch(/^call_a1.*_[0-9a-f]{8}$/);
  });

  it("An id of up to 64 characters is sent unchanged to Anthropic, and a longer one as 64 characters", async () => {
    const id = `call_${"a".repeat(59)}`;
    const [same, shortened] = await sentIds("anthropic", [id, `${id}b`]);
    expect(same).toBe(id);
    expect(shortened).toMatch(/^call_a{50}_[0-9a-f]{8}$/);
  });
});
