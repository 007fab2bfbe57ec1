// Executions with two signals, one of them of `AbortSignal.timeout`, while the garbage collector of Node runs.

import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { execute } from "#session/index.ts";

import { session, user } from "../session/support/scripted-session.ts";
import { collectGarbage } from "../support/collect-garbage.ts";
import { instance, rejection } from "./support/scripted-llm.ts";
import { scriptedAgent } from "./uap/support/scripted-agent.ts";

/** A model that never answers. */
const silent = (): Promise<{ text: string }> => new Promise(() => {});

/** Runs the garbage collector after the start of an execution, and returns the outcome of the execution. */
async function outcome<T>(started: Promise<T>): Promise<T> {
  await Promise.race([started.catch(() => {}), collectGarbage()]);
  return started;
}

it("A timeout signal in the options of generate ends the execution after a garbage collection, also if the agent's options have a second signal", async () => {
  const { signal } = new AbortController();
  const ended = rejection(
    scriptedAgent(silent, { signal }).generate("Go.", AgentState.initial(), { signal: AbortSignal.timeout(500) }),
  );
  expect(await outcome(ended)).toMatchObject({ code: "CANCELLED" });
});

it("A timeout signal in the options of llm ends turns and streams after a garbage collection", async () => {
  const turn = rejection(instance(silent, { signal: AbortSignal.timeout(500) }).generate("Go."));
  const stream = rejection(instance(silent, { signal: AbortSignal.timeout(500) }).stream("Go.").turn);
  expect(await outcome(Promise.all([turn, stream]))).toMatchObject([{ code: "CANCELLED" }, { code: "CANCELLED" }]);
});

it("A timeout signal in the options of execute ends the execution after a garbage collection, also if the session's options have a second signal", async () => {
  const of = session(silent, [], { signal: new AbortController().signal });
  const ended = execute(of, user("Go."), { signal: AbortSignal.timeout(500) }).result();
  expect(await outcome(ended)).toMatchObject({ status: "completed", messages: [user("Go.")] });
});
