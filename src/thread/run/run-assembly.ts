// Puts a run together: its journal, its strategy, its view of the thread. The only place that knows every port of the loop.

import type { RunPorts } from "#core/ports/run-ports.ts";
import type { Strategy } from "#core/ports/strategy.ts";
import type { MessageRecord, RunRecord } from "#core/record.ts";
import { textOf } from "#core/view.ts";
import { sideStrategy } from "#flow/side-strategy.ts";
import type { StepBounds } from "#flow/side-strategy.ts";
import { StepBuilder } from "#flow/step-builder.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import type { ObjectContext } from "../object-context.ts";
import { definitionAccess } from "./definition-access.ts";
import { executionState, StopFlag } from "./execution.ts";
import { Journal } from "./journal.ts";
import { leftAt } from "./recovery.ts";

/** What a drive needs: the loop's ports, and the journal to close afterwards. */
export interface AssembledRun {
  ports: RunPorts;
  journal: Journal;
}

/** Assembles a run from its rows. Rejects when its agent is not defined any more. */
export async function assembleRun(context: ObjectContext, run: RunRecord, signal: AbortSignal): Promise<AssembledRun> {
  const { live, definitions } = context;
  const agent = await definitions.agent(live.record.agent_id);
  const journal = new Journal(live, ownMessages(context, run));
  // Only a run that was taken up again has answers already; then its rows say how far it came.
  const begun = journal.messages.some(({ step }) => step !== null);
  const left = begun ? leftAt(context, run) : { step: 0, stopAsked: false };
  const flag = new StopFlag();
  flag.asked = left.stopAsked;
  const execution = executionState(run.id, journal.messages, { flag, signal });
  // Definitions change this one as they like; the loop keeps the last copy that a row can hold in `run.context`.
  const liveContext = structuredClone(run.context);
  const { state, hooks } = definitionAccess(context, { execution, context: liveContext });
  const steps = new StepBuilder({
    definitions,
    hooks,
    state,
    agentName: () => live.record.agent_id,
    earlier: () => earlierMessages(context, run),
    own: () => journal.messages,
  });
  const ports: RunPorts = {
    run,
    journal,
    sink: live.broadcaster,
    models: context.models,
    steps,
    strategy: strategyOf(agent, run, { context, messages: journal.messages }),
    hooks,
    clock: context.clock,
    ids: { ordered: () => live.uuids.next(), random: () => Math.random() },
    faults: context.faults,
    stopAsked: () => flag.asked,
    committed: left.step,
    context: liveContext,
  };
  return { ports, journal };
}

function strategyOf(
  agent: AnyAgentDefinition,
  run: RunRecord,
  { context, messages }: { context: ObjectContext; messages: readonly MessageRecord[] },
): Strategy {
  const side = agent.sideA.maxSteps ?? agent.sideA.limits?.steps ?? agent.limits?.steps ?? null;
  const asked = run.limits?.steps;
  const ceiling = side === null ? context.settings.stepCeiling : null;
  const bounds: StepBounds = { side, run: asked === undefined ? ceiling : asked };
  return sideStrategy(agent.sideA, bounds, () => blankAnswers(messages));
}

/** Blank answers at the end of the line. */
function blankAnswers(messages: readonly MessageRecord[]): number {
  const answers = messages.filter((message) => message.role === "assistant" && message.step !== null);
  const said = answers.findLastIndex(
    (message) => (textOf(message.parts) ?? "").trim() !== "" || message.parts.some((part) => part.type === "tool_call"),
  );
  return answers.length - 1 - said;
}

function ownMessages({ live }: ObjectContext, run: RunRecord): MessageRecord[] {
  return live.store.messagesAfter(run.branch, run.after_position);
}

function earlierMessages({ live }: ObjectContext, run: RunRecord): MessageRecord[] {
  if (run.after_position === "") return [];
  const newestFirst = live.store.messages({
    branch: run.branch,
    order: "desc",
    limit: 1_000_000,
    includeSilent: true,
    maxDepth: 0,
    ...before(run.after_position),
  });
  return newestFirst.reverse();
}

/** Up to and including a position: the store's bound is exclusive, so it is put just behind. */
function before(position: string): { beyond: string } {
  return { beyond: `${position}~` };
}
