// The events, the result and the session are consistent, whatever is sent, called, answered or broken.

import fc from "fast-check";
import { expect, it, vi } from "vitest";

import type { AgentSession, SessionMessage, ToolResultInput } from "#session/index.ts";
import { createSession } from "#session/index.ts";
import type { TestTurn } from "#spec/index.ts";

import { foldEvents } from "./support/fold-events.ts";
import { add, confirm, locate, run, scripted, search } from "./support/scripted-session.ts";
import type { Run } from "./support/scripted-session.ts";

// Many conversations, on a machine that is also used by other work.
vi.setConfig({ testTimeout: 60_000 });

const tools = [add, search, locate, confirm];

const callArbitrary = fc.oneof(
  fc.record({ name: fc.constant("add"), arguments: fc.record({ a: fc.integer(), b: fc.integer() }) }),
  fc.record({ name: fc.constant("search"), arguments: fc.record({ query: fc.string() }) }),
  fc.record({ name: fc.constantFrom("locate", "confirm"), arguments: fc.constant({}) }),
  // A call whose arguments do not match the schema, and a call of an unknown tool.
  fc.record({ name: fc.constantFrom("add", "nowhere"), arguments: fc.constant({}) }),
);

const turnArbitrary: fc.Arbitrary<TestTurn> = fc
  .record({
    thinking: fc.option(fc.string({ minLength: 1 }), { nil: "" }),
    text: fc.option(fc.string({ minLength: 1 }), { nil: "" }),
    toolCalls: fc.array(callArbitrary, { maxLength: 4 }),
    isBroken: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  })
  .map(({ isBroken, ...turn }) => (isBroken ? { ...turn, error: { kind: "api" as const, message: "Broken." } } : turn));

const conversationArbitrary = fc.record({
  turns: fc.array(turnArbitrary, { minLength: 1, maxLength: 12 }),
  /** Which of the open calls are answered next, and whether with an error. */
  answers: fc.infiniteStream(fc.record({ at: fc.nat(), count: fc.nat(), isError: fc.boolean() })),
  /** Before which executions the session is stored and restored. */
  restored: fc.infiniteStream(fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0)),
});

function nextResults(of: AgentSession, { at, count, isError }: { at: number; count: number; isError: boolean }) {
  const pending = of.pendingToolCalls ?? [];
  const from = at % pending.length;
  const turned = [...pending.slice(from), ...pending.slice(0, from)];
  return turned
    .slice(0, 1 + (count % pending.length))
    .map(({ id }): ToolResultInput => ({ role: "toolResult", toolCallId: id, content: `Answer to ${id}.`, isError }));
}

function check({ events, result }: Run, before: readonly SessionMessage[], of: AgentSession): void {
  const { messages, faults } = foldEvents(events);
  expect(faults).toEqual([]);
  expect(messages).toEqual(result.messages);
  expect(of.messages).toEqual([...before, ...result.messages]);
  expect(of.status).toBe(result.status);
  expect(of.pendingToolCalls).toEqual(result.pendingToolCalls);
  const last = events.at(-2);
  expect(last?.type === "awaiting_tool_execution").toBe(result.status === "awaiting_tool_execution");
  expect(events.filter(({ type }) => type === "error")).toHaveLength(result.status === "error" ? 1 : 0);
}

it("ENTRY3 The messages in an execution's events are those of its result and those that it adds to the session, in any conversation", async () => {
  await fc.assert(
    fc.asyncProperty(conversationArbitrary, async ({ turns, answers, restored }) => {
      let requested = 0;
      const model = scripted(() => turns[requested++] ?? { text: "The end." });
      let of = createSession("s", { tools }, { model });
      let cost = 0;
      for (let executions = 0; executions < 30 && requested <= turns.length; executions += 1) {
        if (restored.next().value === true) {
          const stored = JSON.parse(JSON.stringify(of)) as AgentSession;
          of = createSession("s", { messages: stored.messages, tools }, { model });
          // Sums of prices depend on their order.
          const totalCost: unknown = expect.closeTo(stored.totalCost ?? Number.NaN, 9);
          expect(JSON.parse(JSON.stringify(of))).toEqual({ ...stored, totalCost });
        }
        const before = of.messages;
        const isWaiting = of.status === "awaiting_tool_execution";
        const next = isWaiting ? nextResults(of, answers.next().value ?? { at: 0, count: 0, isError: false }) : "On.";
        const emitted = await run(of, next);
        check(emitted, before, of);
        cost += emitted.result.cost ?? Number.NaN;
        expect(of.totalCost).toBeCloseTo(cost, 9);
      }
    }),
    { numRuns: 60 },
  );
});
