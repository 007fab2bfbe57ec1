// An impossible request is refused at once by a typed error, and does not change the session.

import { expect, it } from "vitest";

import { createSession, execute, ThreadholdError } from "#session/index.ts";
import type { AgentSession, AnyAgentTool, ErrorCode } from "#session/index.ts";

import { add, answer, confirm, gate, locate, run, scripted, session, user } from "./support/scripted-session.ts";

const script = [
  {
    toolCalls: [
      { name: "locate", arguments: {} },
      { name: "confirm", arguments: {} },
    ],
  },
  { text: "I see." },
];

function refusal(work: () => unknown): { code: ErrorCode; message: string } {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof ThreadholdError) return { code: thrown.code, message: thrown.message };
    throw thrown;
  }
  throw new Error("nothing was refused");
}

function refusedOn(of: AgentSession, input: unknown): ErrorCode {
  const before = JSON.stringify(of);
  const { code } = refusal(() => execute(of, input as never));
  expect(JSON.stringify(of)).toBe(before);
  return code;
}

it("ENTRY10 An execution is refused with conflict while another execution of the same session runs", async () => {
  const { passed, open } = gate();
  const of = session(async () => {
    await passed;
    return { text: "Done." };
  });
  const stream = execute(of, user("Go"));
  expect(of.status).toBe("running");
  expect(refusedOn(of, user("And this?"))).toBe("conflict");
  expect(refusedOn(of, [answer("c1", "Yes.")])).toBe("conflict");
  open();
  expect((await stream.result()).status).toBe("completed");
});

it("ENTRY10 A message is refused with conflict while tool calls are pending, and results are refused with conflict while no calls are pending", async () => {
  const of = session(script, [locate, confirm]);
  expect(refusedOn(of, [answer("c1", "Yes.")])).toBe("conflict");
  await run(of, "Go");
  expect(refusedOn(of, user("Well?"))).toBe("conflict");
  expect(refusal(() => execute(of, user("Well?"))).message).toMatch(/waits for the results of "call_.*" \(locate\)/);
});

it("ENTRY10 A set of results with an unknown call, a repeated one, or one of another tool is refused as a whole", async () => {
  const of = session(script, [locate, confirm]);
  await run(of, "Go");
  const [first, second] = (of.pendingToolCalls ?? []).map(({ id }) => id);
  const good = answer(first ?? "", "Lisbon");
  expect(refusedOn(of, [good, answer("call_0", "Yes.")])).toBe("tool_call_not_found");
  expect(refusedOn(of, [good, good])).toBe("invalid_request");
  expect(refusedOn(of, [{ ...good, toolName: "confirm" }])).toBe("invalid_request");
  expect(refusedOn(of, [])).toBe("invalid_request");
  await run(of, [good]);
  expect(refusedOn(of, [good])).toBe("conflict");
  expect((await run(of, [answer(second ?? "", "Yes.")])).result.status).toBe("completed");
  expect(refusedOn(of, [good])).toBe("conflict");
});

it.each([
  ["nothing", undefined],
  ["null", null],
  ["words", "Hello"],
  ["another role", { role: "assistant", content: [] }],
  ["no content", { role: "user" }],
  ["content of no shape", { role: "user", content: 7 }],
  ["an unknown field", { role: "user", content: "Hello", name: "Ada" }],
  [
    "a file, where there are none",
    { role: "user", content: [{ type: "file", path: "/a.pdf", mimeType: "application/pdf" }] },
  ],
  ["a result without content", [{ role: "toolResult", toolCallId: "c1" }]],
  ["a result with both", [{ role: "toolResult", toolCallId: "c1", content: "a", output: "b" }]],
])("ENTRY10 Input that is %s is refused", (_, input) => {
  expect(refusedOn(session(script), input)).toBe("invalid_request");
});

it("ENTRY10 A session is refused if createSession did not create it, and the error names how to restore it", async () => {
  const copy = JSON.parse(JSON.stringify(session(script))) as AgentSession;
  const { code, message } = refusal(() => execute(copy, user("Hello")));
  expect(code).toBe("invalid_request");
  expect(message).toContain("createSession(id, { messages, tools }, options)");
});

it.each<[string, AnyAgentTool[], RegExp]>([
  ["no name", [{ ...add, name: "" }], /name is a letter and up to 63/],
  ["a name no provider takes", [{ ...add, name: "add numbers" }], /"add numbers"/],
  ["two of one name", [add, { ...locate, name: "add" }], /Two tools are named "add"/],
  ["a function that is none", [{ ...add, execute: "yes" as never }], /"execute" of the tool "add" is no function/],
])("ENTRY10 A session with tools with %s is refused", (_, tools, message) => {
  expect(refusal(() => session(script, tools))).toEqual({
    code: "invalid_request",
    message: expect.stringMatching(message),
  });
});

it("ENTRY10 Invalid ids, models and limits are refused", () => {
  const model = scripted(script);
  const create = (id: unknown, options: unknown) =>
    refusal(() => createSession(id as string, { tools: [] }, options as never));
  expect(create("s", undefined)).toMatchObject({ message: expect.stringContaining("defineModel") });
  expect(create("s", { model: "fast", models: [model] })).toEqual({
    code: "model_not_found",
    message: 'There is no model named "fast" among the session\'s models: scripted.',
  });
  expect(create("s", { model: { ...model, fallbacks: ["other"] } }).code).toBe("model_not_found");
  expect(create("s", { model, models: [scripted([])] }).message).toBe('Two models are named "scripted".');
  expect(create("s", { model, limits: { steps: -1 } }).message).toMatch(/steps/);
  for (const id of ["", "a b", "a/b", "é", "a".repeat(129), 7, undefined]) {
    expect(create(id, { model }).message).toMatch(/session id/);
  }
});

it.each([
  [null],
  ["Be brief."],
  [{ messages: "Hello" }],
  [{ tools: { add } }],
  [{ systemPrompt: 7 }],
  [{ tools: [null] }],
])("ENTRY10 A context that is %j is refused", (context) => {
  const { code } = refusal(() => createSession("s", context as never, { model: scripted(script) }));
  expect(code).toBe("invalid_request");
});

it("ENTRY10 An execution is refused if the model has no API key, and the session stays unchanged", () => {
  const model = { name: "big", provider: "anthropic", model: "claude" } as const;
  const of = createSession("s", { tools: [] }, { model, env: {} });
  const { code, message } = refusal(() => execute(of, user("Hello")));
  expect(code).toBe("invalid_request");
  expect(message).toContain("set ANTHROPIC_API_KEY in the environment, or give options.apiKey");
  expect(of.messages).toEqual([]);
});

it("READY1 An execution is refused with the names of all missing variables; the key is not among them if the options have one", () => {
  const gateway = { id: "team", tokenVariable: "TEAM_TOKEN" };
  const model = { name: "big", provider: "anthropic", model: "claude", gateway } as const;
  const refused = (options: object) =>
    refusal(() => execute(createSession("s", { tools: [] }, { model, env: {}, ...options }), user("Hello"))).message;
  expect(refused({})).toContain("needs ANTHROPIC_API_KEY, TEAM_TOKEN and CLOUDFLARE_ACCOUNT_ID, which are not set");
  expect(refused({ apiKey: "k" })).toContain("needs TEAM_TOKEN and CLOUDFLARE_ACCOUNT_ID, which are not set");
});
