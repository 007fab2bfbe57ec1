// Executions with a time limit of Node, `AbortSignal.timeout`, next to a signal of the program, while the garbage collector runs.

import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { execute } from "#session/index.ts";

import { session, user } from "../session/support/scripted-session.ts";
import { collectGarbage } from "../support/collect-garbage.ts";
import { instance, rejection } from "./support/scripted-llm.ts";
import { scriptedAgent } from "./uap/support/scripted-agent.ts";

/** A model that never answers. */
const silent = (): Promise<{ text: string }> => new Promise(() => {});

/** The outcome of an execution that was started before the garbage collector runs. */
async function outcome<T>(started: Promise<T>): Promise<T> {
  await Promise.race([started.catch(() => {}), collectGarbage()]);
  return started;
}

it("The time limit of a call ends an agent that has a signal of its own", async () => {
  const { signal } = new AbortController();
  const ended = rejection(
    scriptedAgent(silent, { signal }).generate("Go.", AgentState.initial(), { signal: AbortSignal.timeout(500) }),
  );
  expect(await outcome(ended)).toMatchObject({ code: "CANCELLED" });
});

it("The time limit of a model ends its turns and their streams", async () => {
  const turn = rejection(instance(silent, { signal: AbortSignal.timeout(500) }).generate("Go."));
  const stream = rejection(instance(silent, { signal: AbortSignal.timeout(500) }).stream("Go.").turn);
  expect(await outcome(Promise.all([turn, stream]))).toMatchObject([{ code: "CANCELLED" }, { code: "CANCELLED" }]);
});

it("The time limit of an execution ends it in a session that has a signal of its own", async () => {
  const of = session(silent, [], { signal: new AbortController().signal });
  const ended = execute(of, user("Go."), { signal: AbortSignal.timeout(500) }).result();
  expect(await outcome(ended)).toMatchObject({ status: "completed", messages: [user("Go.")] });
});
