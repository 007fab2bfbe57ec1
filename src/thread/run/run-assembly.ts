// Makes the loop's ports for a run of a thread. `host/host-ports.ts` makes them for a run that is executed in a process without storage.

import type { Side } from "#contract/thread-message.ts";
import type { LiveContext, RunPorts } from "#core/ports/run-ports.ts";
import type { ExecutedRun, MessageRecord, RunProgress, RunRecord } from "#core/record.ts";
import { isAnswer, mainScope } from "#core/scope.ts";
import { ConversationStrategy, otherSide } from "#flow/conversation-strategy.ts";
import { mainParticipant, StepBuilder } from "#flow/step-builder.ts";
import { sectionSources } from "#flow/system-prompt.ts";
import { agentTools } from "#flow/tool-source/agent-tools.ts";
import { clientTools } from "#flow/tool-source/client-tools.ts";
import { projectTools } from "#flow/tool-source/project-tools.ts";
import { promptTools } from "#flow/tool-source/prompt-tools.ts";
import { blankStreak } from "#flow/turn-end.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import { threadAnswerFiles } from "../attachments/thread-answer-files.ts";
import { RunChildThreads } from "../children/run-children.ts";
import type { ObjectContext } from "../object-context.ts";
import { definitionAccess } from "./definition-access.ts";
import { executionState, StopFlag } from "./definition-execution.ts";
import { carriedMessages, carriedOn, messagesBefore } from "./earlier-messages.ts";
import { steeringOf } from "./join-messages.ts";
import { Journal } from "./journal.ts";
import { leftAt, notBegun } from "./recovery.ts";
import { RunLimits } from "./run-limits.ts";

/** The loop's ports, and the objects that the driver uses after the loop. */
export interface AssembledRun {
  ports: RunPorts;
  journal: Journal;
  limits: RunLimits;
  /** Ids of calls whose results had arrived before this execution. */
  answered: ReadonlySet<string>;
}

/** Makes the ports from the run's rows. Rejects if the thread's agent is not defined any more. */
export async function assembleRun(
  context: ObjectContext,
  run: ExecutedRun,
  abort: AbortController,
): Promise<AssembledRun> {
  const { live, definitions, clock } = context;
  const { signal } = abort;
  const agent = () => definitions.agent(live.record.agent_id);
  await context.faults.at("run.first-side");
  const first = run.side ?? firstSide(context, run, await agent());
  const journal = new Journal(context, run, live.store.messagesAfter(run.branch, run.after_position));
  // A run without answers has no progress to restore. The progress of a resumed run is read from its rows.
  const left = journal.messages.some(isAnswer) ? leftAt(context, run) : notBegun;
  const flag = new StopFlag();
  flag.asked = left.stopAsked;
  const strategy = new ConversationStrategy({
    agent,
    first,
    blanks: () => blankStreak(journal.messages, mainScope),
    recorded: left.session,
    forced: left.forced,
  });
  const limits = new RunLimits(context, run, { agent, strategy, messages: journal.messages, abort });
  // A definition may use `execution` after the run has ended, when the run's row must not change.
  const keep = (asked: Pick<RunProgress, "forced" | "stop_asked">) => {
    if (live.runState.run === run) {
      Object.assign(run.progress, asked);
      live.store.updateRun(run);
    }
  };
  const execution = executionState(run.id, journal.messages, {
    flag,
    signal,
    strategy,
    history: () => steps.loaded,
    keep: {
      forced: (side) => keep({ forced: { side, at: live.uuids.next() } }),
      stopped: () => keep({ stop_asked: true }),
    },
  });
  // Definitions may change or replace this object; the loop keeps the last copy that fits a row in `run.context`.
  const liveContext: LiveContext = { current: structuredClone(run.progress.context) };
  const { state, hooks } = definitionAccess(context, { execution, context: liveContext, depth: 0 });
  // With a prompt without `includeChat`, a request contains only the messages of its run. A run that continues an earlier one needs that
  // run's messages too.
  const carried = carriedOn(live, run);
  const before = carried === null ? [] : carriedMessages(live, carried, run);
  const children = new RunChildThreads(context, run);
  const steps: StepBuilder = new StepBuilder(
    {
      definitions,
      hooks,
      faults: context.faults,
      tools: (builderFor) => [
        projectTools(definitions, { state, clock, faults: context.faults }),
        promptTools(definitions, builderFor),
        agentTools(definitions, { children, clock, faults: context.faults }),
        clientTools(() => live.record.setup?.tools ?? [], clock),
      ],
      sections: sectionSources(definitions),
      own: () => (before.length === 0 ? journal.messages : [...before, ...journal.messages]),
      files: context.files,
    },
    mainParticipant(
      { definitions },
      {
        agent,
        side: () => strategy.side,
        earlier: (limit) => messagesBefore(live, carried ?? run, limit).toReversed(),
      },
    ),
  );
  const ports: RunPorts = {
    run,
    scope: mainScope,
    journal,
    sink: live.broadcaster,
    models: context.models,
    steps,
    strategy,
    hooks,
    steering: steeringOf(context, run),
    answers: threadAnswerFiles(context),
    limits,
    clock,
    ids: { ordered: () => live.uuids.next(), random: () => Math.random() },
    faults: context.faults,
    stopAsked: () => flag.asked,
    committed: left.step,
    context: liveContext,
  };
  await context.faults.at("run.limits");
  await limits.watchTime();
  const answered = new Set(journal.messages.filter(hasDeliveredResult).map(({ id }) => id));
  return { answered, ports, journal, limits };
}

/** Whether a result of the call was delivered and the loop has not read it yet. */
export function hasDeliveredResult({ status, awaits }: MessageRecord): boolean {
  return status === "started" && awaits !== undefined && awaits.delivered !== null;
}

/** The most messages that are searched for the last answer. Between two answers there are only the results of one step. */
const lookBack = 50;

/** The side of the first step, `a` or `b`: the one that did not answer last (decision 9: two models in a thread). */
function firstSide({ live }: ObjectContext, run: RunRecord, agent: AnyAgentDefinition): Side {
  if (agent.type !== "dual_ai") return "a";
  const last = messagesBefore(live, run, lookBack).find(isAnswer)?.side ?? "b";
  return otherSide(last);
}
