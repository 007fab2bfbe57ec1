// The middleware of agents, over the scripted provider and the real loop: the order of its functions, what they receive and what they return.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { AgentOptions, GenerateResult, Middleware, MiddlewareContext } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import { UserMessage } from "#facade/upp/upp-message.ts";

import { rejection } from "../support/scripted-llm.ts";
import { scripted } from "./support/scripted-agent.ts";
import type { Script } from "./support/scripted-agent.ts";

function agentWith(
  middleware: readonly Middleware[],
  script: Script = () => ({ text: "Yes." }),
  more: AgentOptions = {},
) {
  return agent({ model: scripted("scripted", { script }), middleware, ...more });
}

type Executed = ReturnType<typeof agent>;
type Way = (executed: Executed, input: string, state?: AgentState) => Promise<GenerateResult>;

const generated: Way = (executed, input, state = AgentState.initial()) => executed.generate(input, state);
const streamed: Way = async (executed, input, state = AgentState.initial()) => {
  const stream = executed.stream(input, state);
  for await (const _ of stream);
  return stream.result;
};

/** A middleware that logs the calls of its functions. */
function logged(name: string, log: string[], more: Partial<Middleware> = {}): Middleware {
  return {
    name,
    async before(context) {
      log.push(`${name}.before`);
      return more.before?.(context);
    },
    async after(context, result) {
      log.push(`${name}.after`);
      return more.after === undefined ? result : more.after(context, result);
    },
    async onError(context, error) {
      log.push(`${name}.onError ${error.message}`);
      return more.onError?.(context, error);
    },
  };
}

const fails = (message: string) => (): never => {
  throw new Error(message);
};

/** A result that no model gave. */
const replaced = async (): Promise<GenerateResult> =>
  agentWith([], () => ({ text: "Replaced." })).generate("?", AgentState.initial());

describe.each([
  ["generate", generated],
  ["stream", streamed],
])("%s", (_name, execute) => {
  it("The functions `before` of all middleware run in order, then the execution, then the functions `after` in reverse order", async () => {
    const log: string[] = [];
    const script = () => {
      log.push("model");
      return { text: "Yes." };
    };
    const names = ["first", "second", "third"];
    await execute(
      agentWith(
        names.map((name) => logged(name, log)),
        script,
      ),
      "Hello",
    );
    expect(log).toEqual([
      "first.before",
      "second.before",
      "third.before",
      "model",
      "third.after",
      "second.after",
      "first.after",
    ]);
  });

  it("If `before` returns a context, later middleware and the execution receive the input and the state of this context", async () => {
    const observed: string[] = [];
    const script: Script = ({ messages }) => {
      observed.push(...messages.map(({ content }) => content));
      return { text: "Yes." };
    };
    const replacing: Middleware = {
      name: "replacing",
      before: (context) => ({
        ...context,
        input: new UserMessage("New input"),
        state: context.state.withContext([new UserMessage("New history")]),
      }),
    };
    const contexts: MiddlewareContext[] = [];
    const observing: Middleware = { name: "observing", before: (context) => void contexts.push(context) };
    const state = AgentState.initial().withMessage(new UserMessage("Old history"));
    const result = await execute(agentWith([replacing, observing], script), "Old input", state);
    expect(observed).toEqual(["New history", "New input"]);
    expect(contexts[0]?.input.text).toBe("New input");
    expect(result.state.messages.map(({ text }) => text)).toEqual(["New history", "New input", "Yes."]);
    expect(state.messages.map(({ text }) => text)).toEqual(["Old history"]);
  });

  it("If `after` returns a result, outer middleware receives it, and it becomes the result of the execution", async () => {
    const received: string[] = [];
    const outer: Middleware = {
      name: "outer",
      after: (_context, result) => {
        received.push(String(result.state.metadata["checked"]));
        return result;
      },
    };
    const inner: Middleware = {
      name: "inner",
      after: (_context, { turn, state }) => ({ turn, state: state.withMetadata("checked", true) }),
    };
    const { state } = await execute(agentWith([outer, inner]), "Hello");
    expect([received, state.metadata["checked"]]).toEqual([["true"], true]);
  });

  it("An error of the execution is passed to the functions onError in reverse order and is thrown unchanged", async () => {
    const log: string[] = [];
    const script = () => ({ error: { message: "Busy.", status: 529 } });
    const errors: Error[] = [];
    const keeping = logged("first", log, { onError: (_context, error) => void errors.push(error) });
    const error = await rejection(execute(agentWith([keeping, logged("second", log)], script), "Hello"));
    expect(log.map((line) => line.split(" ")[0])).toEqual([
      "first.before",
      "second.before",
      "second.onError",
      "first.onError",
    ]);
    expect(error).toMatchObject({ name: "UPPError", code: "PROVIDER_ERROR" });
    expect(errors).toEqual([error]);
  });

  it("If onError returns a result, `after` of outer middleware receives it, and onError of outer middleware is not called", async () => {
    const log: string[] = [];
    const recovering = logged("second", log, { onError: replaced });
    const middleware = [logged("first", log), recovering, logged("third", log)];
    const { turn } = await execute(agentWith(middleware, fails("Broken script.")), "Hello");
    expect(turn.response.text).toBe("Replaced.");
    expect(log.map((line) => line.split(" ")[0])).toEqual([
      "first.before",
      "second.before",
      "third.before",
      "third.onError",
      "second.onError",
      "first.after",
    ]);
  });

  it("If `before` throws, the execution ends without a model request, and onError is called only for the middleware that is earlier in the list", async () => {
    const log: string[] = [];
    const script = () => {
      log.push("model");
      return { text: "Yes." };
    };
    const throwing = logged("second", log, { before: fails("Over budget.") });
    const middleware = [logged("first", log), throwing, logged("third", log)];
    const error = await rejection(execute(agentWith(middleware, script), "Hello"));
    expect(error).toMatchObject({ message: "Over budget." });
    expect(log).toEqual(["first.before", "second.before", "first.onError Over budget."]);
  });

  it("If `after` throws, onError of outer middleware is called, and may return a result", async () => {
    const log: string[] = [];
    const middleware = [logged("first", log, { onError: replaced }), logged("second", log, { after: fails("No.") })];
    const { turn } = await execute(agentWith(middleware), "Hello");
    expect(turn.response.text).toBe("Replaced.");
    expect(log).toEqual(["first.before", "second.before", "second.after", "first.onError No."]);
  });

  it("If onError throws, outer middleware receives the new error in place of the first one", async () => {
    const log: string[] = [];
    const middleware = [logged("first", log), logged("second", log, { onError: fails("Worse.") })];
    const error = await rejection(execute(agentWith(middleware, fails("Bad.")), "Hello"));
    expect(error).toMatchObject({ message: "Worse." });
    expect(log.at(-1)).toBe("first.onError Worse.");
  });

  it("The middleware of one execution shares its metadata, and concurrent executions have separate metadata", async () => {
    const observed = new Map<string, unknown>();
    const writing: Middleware = {
      name: "writing",
      before: ({ metadata, input }) => void (metadata["text"] = input.text),
    };
    const reading: Middleware = {
      name: "reading",
      after: ({ metadata, input }, result) => {
        observed.set(input.text, metadata["text"]);
        return result;
      },
    };
    const executed = agentWith([reading, writing]);
    await Promise.all(["One", "Two"].map((input) => execute(executed, input)));
    expect([observed.get("One"), observed.get("Two")]).toEqual(["One", "Two"]);
  });

  it("An invalid context from `before` and an invalid result from `after` are refused, and the error names the middleware and the fix", async () => {
    const wrong = [
      { before: () => ({ state: 1 }) },
      { before: (context: MiddlewareContext) => ({ ...context, agent: agentWith([]) }) },
      { after: () => "text" },
    ] as unknown as Partial<Middleware>[];
    const messages = [];
    for (const each of wrong) {
      const error = await rejection(execute(agentWith([{ name: "guard", ...each }]), "Hello"));
      expect(error).toMatchObject({ name: "UPPError", code: "INVALID_REQUEST" });
      messages.push((error as Error).message);
    }
    expect(messages).toEqual([
      'before of the middleware "guard" returned no context. Return the context, { ...context, state }, with an AgentState, or nothing.',
      'before of the middleware "guard" replaced the agent. It can replace the input, the state and the metadata.',
      'after of the middleware "guard" returned no result. Return { turn, state }, with a Turn and an AgentState, or nothing.',
    ]);
  });
});

it("The function `before` of a middleware completes before the first event of a stream, and its function `after` runs after the last event", async () => {
  const log: string[] = [];
  const stream = agentWith([logged("only", log)]).stream("Hello", AgentState.initial());
  for await (const event of stream) log.push(event.source === "upp" ? event.upp.type : event.uap.type);
  await stream.result;
  expect([log[0], log.at(-1)]).toEqual(["only.before", "only.after"]);
  expect(log.filter((line) => line.startsWith("only"))).toHaveLength(2);
  expect(log).toContain("message_stop");
});

it("A stream ends without an exception if a middleware replaces its error by a result", async () => {
  const executed = agentWith([{ name: "recovering", onError: replaced }], fails("Broken script."));
  const stream = executed.stream("Hello", AgentState.initial());
  for await (const _ of stream);
  expect((await stream.result).turn.response.text).toBe("Replaced.");
});

it("The functions ask and query run the middleware as generate does", async () => {
  const log: string[] = [];
  const executed = agentWith([logged("only", log)]);
  await executed.ask("Hello", AgentState.initial());
  await executed.query("Hello");
  expect(log).toEqual(["only.before", "only.after", "only.before", "only.after"]);
});

it("For each middleware whose `before` completed, either `after` or onError is called once, innermost first, for any exceptions and recoveries", async () => {
  const outcome = fc.constantFrom("passes" as const, "throws" as const);
  const entry = fc.record({
    before: outcome,
    after: outcome,
    onError: fc.constantFrom("passes", "throws", "recovers"),
  });
  const answer = await replaced();
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 5 }), fc.boolean(), async (entries, isBroken) => {
      const log: string[] = [];
      const middleware = entries.map(({ before, after, onError }, index) =>
        logged(`${index}`, log, {
          ...(before === "throws" ? { before: fails("before") } : {}),
          ...(after === "throws" ? { after: fails("after") } : {}),
          onError: () => {
            if (onError === "throws") throw new Error("onError");
            return onError === "recovers" ? answer : undefined;
          },
        }),
      );
      const executed = agentWith(middleware, isBroken ? fails("model") : () => ({ text: "Yes." }));
      const ended = await executed.generate("?", AgentState.initial()).then(
        () => "result",
        () => "error",
      );
      // What follows from the rule alone: the number of completed before, then each outcome from the innermost one outwards.
      const stopped = entries.findIndex(({ before }) => before === "throws");
      const entered = stopped === -1 ? entries.length : stopped;
      const expected = entries.slice(0, stopped === -1 ? entered : entered + 1).map((_, index) => `${index}.before`);
      let fine = stopped === -1 && !isBroken;
      for (const [index, { after, onError }] of [...entries.entries()].slice(0, entered).toReversed()) {
        expected.push(`${index}.${fine ? "after" : "onError"}`);
        fine = fine ? after === "passes" : onError === "recovers";
      }
      expect(log.map((line) => line.split(" ")[0])).toEqual(expected);
      expect(ended).toBe(fine ? "result" : "error");
    }),
    { numRuns: 60 },
  );
});
