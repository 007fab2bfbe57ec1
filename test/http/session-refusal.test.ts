// What a session refuses: invalid input, requests at the wrong moment, other users, hostile tools.

import { describe, expect, it } from "vitest";

import { setupAgent } from "#contract/setup.ts";
import type { Thread } from "#contract/thread.ts";

import { execute, readSession, textOf } from "../support/session-client/session-client.ts";
import type { Executed } from "../support/session-client/session-client.ts";
import { gate, scripts } from "../worker/definitions.ts";
import { admin, anna, ask, ben, cora } from "./support/session-app.ts";

const options = { model: "scripted" };
const said = (content: string) => ({ role: "user", content });
const input = said("Hello");
const fields = ({ refusal }: Executed) => refusal?.details?.fields?.map(({ path }) => path);
const tool = (name: string, parameters: object = { type: "object" }) => ({ name, parameters });
const asking = { name: "far", arguments: { q: "x" } };

function name(): string {
  return `s-${crypto.randomUUID()}`;
}

describe("invalid session requests", () => {
  it("SESSION13 An invalid session request is refused with the reason, and creates nothing", async () => {
    const sessionId = name();
    const cases: [object, string][] = [
      [{ sessionId, input }, "context"],
      [{ sessionId: crypto.randomUUID(), input }, "context"],
      [{ sessionId, input, context: {}, options: { model: "unknown" } }, "options.model"],
      [{ sessionId, input, context: {} }, "options.model"],
      [{ sessionId, input, context: { agent: "nobody" } }, "context.agent"],
      [{ sessionId, input, context: { agent: "constructor" } }, "context.agent"],
      [{ sessionId, input, context: { agent: "parallel", systemPrompt: "Be mine." } }, "context.systemPrompt"],
      [{ sessionId, input: said("  "), context: {}, options }, "input.content"],
      [{ sessionId, input: [{ role: "toolResult", content: "x" }], context: {}, options }, "input.0.toolCallId"],
      [
        { sessionId, input, context: { messages: [{ role: "system", content: "x" }] }, options },
        "context.messages.0.role",
      ],
      [{ sessionId, input, context: { tools: [tool("note")] }, options }, "context.tools.0.name"],
    ];
    for (const [body, path] of cases) {
      const refused = await execute(anna, body);
      expect([refused.status, refused.refusal?.code, fields(refused)]).toEqual([400, "invalid_request", [path]]);
    }
    expect(await readSession(anna, sessionId)).toBeNull();
    const unknown = await execute(anna, { input, context: {}, options: { model: "unknown" } });
    expect(unknown.refusal?.details?.known).toEqual(expect.arrayContaining(["scripted", "failing"]));
    expect(unknown.refusal?.message).toContain("scripted");
  });

  it("SESSION13 A session request that is too large, or no JSON, is refused", async () => {
    const headers = { "content-type": "application/json" };
    const huge = JSON.stringify({ input: said("x".repeat(20_000_000)), context: {}, options });
    const bodies: [string, number][] = [
      [huge, 413],
      [JSON.stringify({ input: said("x".repeat(1_100_000)), context: {}, options }), 413],
      [JSON.stringify({ input, context: { messages: [said("x".repeat(1_100_000))] }, options }), 413],
      ["{", 400],
      ["[]", 400],
      ['{"input":{"role":"user","content":"\\ud800"},"context":{}}', 400],
    ];
    for (const [body, status] of bodies) {
      const response = await anna("/api/agent/execute", { method: "POST", body, headers });
      expect([body.slice(0, 40), response.status]).toEqual([body.slice(0, 40), status]);
      await response.body?.cancel();
    }
  });

  it("SESSION13 A session request is read as JSON, also without a content type, and a form is refused", async () => {
    const sessionId = name();
    const types = { "": 200, "application/json": 200, "text/plain": 415, "application/x-www-form-urlencoded": 415 };
    for (const [type, status] of Object.entries(types)) {
      const body = JSON.stringify({ sessionId, input, context: {}, options });
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
      const response = await anna("/api/agent/execute", { method: "POST", body, headers });
      expect([type, response.status]).toEqual([type, status]);
      await response.text();
    }
    const elsewhere = await anna("/api/threads", { method: "POST", body: JSON.stringify({ agent_id: "parallel" }) });
    expect(elsewhere.status).toBe(415);
  });

  it("SESSION13 A request for an unknown session is answered with 404", async () => {
    for (const id of [name(), crypto.randomUUID(), "x".repeat(129), "a%20b", "%00", "..%2f.."]) {
      const response = await anna(`/api/agent/session/${id}`);
      expect([id, response.status]).toEqual([id, 404]);
      await response.body?.cancel();
    }
  });
});

describe("a request that the session's status does not allow", () => {
  it("SESSION14 A session request is answered with 409 while the session is active", async () => {
    const { reached, open } = gate("busy");
    scripts.set("busy", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "busy" } }] } : { text: "Done." },
    );
    const sessionId = name();
    const first = execute(anna, { sessionId, input: said("busy"), context: { agent: "parallel" } });
    await reached;
    for (const context of [undefined, { agent: "parallel" }]) {
      const second = await execute(anna, { sessionId, input, ...(context === undefined ? {} : { context }) });
      expect(second).toMatchObject({ status: 409, refusal: { code: "conflict" } });
    }
    const results = await execute(anna, { sessionId, input: [{ role: "toolResult", toolCallId: "c", content: "x" }] });
    expect(results).toMatchObject({ status: 409 });
    open();
    expect((await first).complete?.status).toBe("completed");
    expect((await readSession(anna, sessionId))?.messages).toHaveLength(4);
  });

  it("SESSION14 A message is answered with 409 while calls are open, and results are answered with 409 while none are open", async () => {
    scripts.set("asks", ({ step }) => (step === 0 ? { toolCalls: [asking] } : { text: "Thanks." }));
    const made = await execute(anna, { input: said("asks"), context: { tools: [tool("far")] }, options });
    const { sessionId } = made;
    const [call] = made.complete?.pendingToolCalls ?? [];
    const word = await execute(anna, { sessionId, input });
    expect(word.status).toBe(409);
    expect(word.refusal?.message).toContain(call?.id);
    const answer = (content: string, toolCallId = call?.id) => ({ role: "toolResult", toolCallId, content });
    expect(await execute(anna, { sessionId, input: [answer("x", "call_nobody")] })).toMatchObject({ status: 404 });
    expect(await execute(anna, { sessionId, input: [answer("x"), answer("y")] })).toMatchObject({ status: 409 });
    const limited = await execute(anna, { sessionId, input: [answer("x")], options: { limits: { steps: 1 } } });
    expect([limited.status, fields(limited)]).toEqual([400, ["options.limits"]]);
    expect(await readSession(anna, sessionId)).toMatchObject({ pendingToolCalls: [call] });
    expect((await execute(anna, { sessionId, input: [answer("x")] })).complete?.status).toBe("completed");
    expect(await execute(anna, { sessionId, input: [answer("x")] })).toMatchObject({ status: 409 });
    expect((await readSession(anna, sessionId))?.messages).toHaveLength(4);
  });

  it("SESSION14 If several clients answer one call at the same time, one result is accepted and the others are answered with 409", async () => {
    scripts.set("races", ({ step }) => (step === 0 ? { toolCalls: [asking] } : { text: "Thanks." }));
    const made = await execute(anna, { input: said("races"), context: { tools: [tool("far")] }, options });
    const { sessionId, complete } = made;
    const toolCallId = complete?.pendingToolCalls?.[0]?.id;
    const answers = await Promise.all(
      ["a", "b", "c"].map((content) =>
        execute(anna, { sessionId, input: [{ role: "toolResult", toolCallId, content }] }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409, 409]);
    expect((await readSession(anna, sessionId))?.messages).toHaveLength(4);
  });

  it("SESSION15 Simultaneous requests that begin the same session create one thread", async () => {
    const sessionId = name();
    const made = await Promise.all([1, 2, 3].map(() => execute(cora, { sessionId, input, context: {}, options })));
    // A request after the end of the first one's run finds an idle session, so it may succeed too.
    const taken = made.filter(({ status }) => status === 200).length;
    expect(made.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect((await readSession(cora, sessionId))?.messages).toHaveLength(2 * taken);
    expect((await ask<{ threads: Thread[] }>(cora, "GET", "/api/threads")).threads).toHaveLength(1);
  });
});

describe("sessions of several users", () => {
  it("SESSION16 Sessions of different users under the same name are separate", async () => {
    const sessionId = name();
    for (const [send, word] of [
      [anna, "Anna"],
      [ben, "Ben"],
      [admin, "Admin"],
    ] as const) {
      await execute(send, { sessionId, input: said(word), context: {}, options });
    }
    for (const [send, word] of [
      [anna, "Anna"],
      [ben, "Ben"],
      [admin, "Admin"],
    ] as const) {
      expect(await readSession(send, sessionId)).toMatchObject({ messages: [said(word), { role: "assistant" }] });
    }
  });

  it("SESSION16 A user can neither read nor continue another user's session by the id of its thread", async () => {
    const { sessionId } = await execute(anna, { input, context: {}, options });
    expect(await readSession(ben, sessionId)).toBeNull();
    expect(await execute(ben, { sessionId, input, context: {}, options })).toMatchObject({ status: 404 });
    const goesOn = await execute(ben, { sessionId, input });
    expect([goesOn.status, fields(goesOn)]).toEqual([400, ["context"]]);
    expect(await readSession(admin, sessionId)).toMatchObject({ messages: { length: 2 } });
    expect((await readSession(anna, sessionId))?.messages).toHaveLength(2);
  });

  it("SESSION16 A user cannot create a thread under the id that another user's session will have", async () => {
    const sessionId = name();
    // The list of threads shows the id that the session will have: a session is created and deleted first. Its title distinguishes it from the threads
    // of other test files, and the catalog is written after the thread.
    const word = name();
    await execute(admin, { sessionId, input: said(word), context: {}, options });
    const listed = async () => {
      const path = `/api/threads?limit=200&agent_id=${setupAgent}`;
      const { threads } = await ask<{ threads: Thread[] }>(admin, "GET", path);
      return threads.find(({ title }) => title === word)?.id;
    };
    await expect.poll(listed).toBeDefined();
    const id = (await listed()) ?? "";
    expect(await readSession(admin, id)).toMatchObject({ messages: { length: 2 } });
    await admin(`/api/threads/${id}`, { method: "DELETE" });
    const laid = await ask<{ error: { code: string } }>(ben, "POST", "/api/threads", { id, agent_id: "parallel" });
    expect(laid.error.code).toBe("invalid_request");
    const secret = await execute(admin, { sessionId, input: said("A secret"), context: {}, options });
    expect(secret.status).toBe(200);
    expect(await readSession(admin, sessionId)).toMatchObject({ messages: { length: 2 } });
    expect(await readSession(ben, id)).toBeNull();
  });
});

describe("refused client tools", () => {
  it("SESSION19 A client tool with the name of a project's definition, another client tool or an inherited property is refused, and the error names its field", async () => {
    const refuses = async (tools: object[], agent?: string) => {
      const context = { tools, ...(agent === undefined ? {} : { agent }) };
      const refused = await execute(anna, { input, context, ...(agent === undefined ? { options } : {}) });
      return [refused.status, fields(refused)?.[0], refused.refusal?.message];
    };
    // A tool, a prompt and an agent of the project.
    for (const taken of ["ask", "forgetful", "short"]) {
      for (const agent of [undefined, "asker"]) {
        const [status, path, message] = await refuses([tool("mine"), tool(taken)], agent);
        expect([status, path]).toEqual([400, "context.tools.1.name"]);
        expect(message).toContain(`"${taken}"`);
      }
    }
    expect((await refuses([tool("mine"), tool("mine")])).slice(0, 2)).toEqual([400, "context.tools.1.name"]);
    for (const odd of ["constructor", "toString", "hasOwnProperty"]) {
      expect((await refuses([tool(odd)])).slice(0, 2)).toEqual([400, "context.tools.0.name"]);
    }
  });

  it("SESSION20 Client tools are refused for schemas that are invalid or grow without bound", async () => {
    const swelling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const next = { $ref: `#/$defs/s${at + 1}` };
        return [`s${at}`, { allOf: [next, next] }];
      }),
    );
    const deep = Array.from({ length: 40 }).reduce<object>((inner) => ({ type: "array", items: inner }), {});
    const schemas: object[] = [
      { type: "string" },
      { type: "object", properties: "x" },
      { type: "object", properties: { a: 5 } },
      { type: "object", properties: { a: { $ref: "https://elsewhere.example/schema" } } },
      { type: "object", properties: { a: { $ref: "#/$defs/__proto__" } }, $defs: {} },
      { type: "object", properties: { a: { $ref: "#/$defs/s0" } }, $defs: { ...swelling, s40: { type: "string" } } },
      { type: "object", properties: { a: deep } },
      { type: "object", properties: { a: { $dynamicRef: "#a" } } },
      { type: "object", description: "x".repeat(70_000) },
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object,
    ];
    for (const schema of schemas) {
      const refused = await execute(anna, { input, context: { tools: [tool("far", schema)] }, options });
      const field = fields(refused)?.[0]?.split(".").slice(0, 4).join(".");
      expect([JSON.stringify(schema).slice(0, 80), refused.status, field]).toEqual([
        JSON.stringify(schema).slice(0, 80),
        400,
        "context.tools.0.parameters",
      ]);
    }
    const many = Array.from({ length: 10 }, (_, at) =>
      tool(`far${at}`, { type: "object", description: "x".repeat(40_000) }),
    );
    expect(await execute(anna, { input, context: { tools: many }, options })).toMatchObject({ status: 413 });
  });

  it("SESSION20 Patterns in schemas of client tools are checked even if a backtracking engine would never finish them", async () => {
    const long = "a".repeat(50_000);
    scripts.set("evil", ({ step, messages }) =>
      step === 0
        ? { toolCalls: [{ name: "far", arguments: { q: `${long}!`, b1: "b" } }] }
        : { text: messages.at(-1)?.content ?? "" },
    );
    scripts.set("kind", ({ step, messages }) =>
      step === 0
        ? { toolCalls: [{ name: "far", arguments: { q: "a".repeat(1000), b1: "b" } }] }
        : { text: messages.at(-1)?.content ?? "" },
    );
    const parameters = {
      type: "object",
      properties: { q: { type: "string", pattern: "^(a+)+$", format: "email" } },
      patternProperties: { "^(b+)+\\d$": { type: "string" } },
      additionalProperties: false,
    };
    const context = { tools: [tool("far", parameters)] };
    const refused = await execute(anna, { input: said("evil"), context, options });
    expect(textOf(refused.events)).toContain("q: has to match the pattern");
    const { complete, events } = await execute(anna, { input: said("kind"), context, options });
    expect(textOf(events)).toBe("");
    expect(complete?.pendingToolCalls).toHaveLength(1);
  });

  it("SESSION20 Schemas of client tools may refer to their own definitions, which are enforced", async () => {
    scripts.set("refers", ({ step, messages }) =>
      step === 0
        ? { toolCalls: [{ name: "far", arguments: { at: { x: "no" } } }] }
        : { text: messages.at(-1)?.content ?? "" },
    );
    const parameters = {
      type: "object",
      properties: { at: { $ref: "#/$defs/point" } },
      $defs: { point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
    };
    const { events } = await execute(anna, {
      input: said("refers"),
      context: { tools: [tool("far", parameters)] },
      options,
    });
    expect(textOf(events)).toContain("at.x");
  });
});
