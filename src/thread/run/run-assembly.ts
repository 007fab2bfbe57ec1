// Puts a run of a thread together: all ports of the loop, over the storage of the thread. `host/host-ports.ts` does it in process.

import type { Side } from "#contract/message.ts";
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

import { answersOf } from "../attachments/answers-of.ts";
import { ChildThreadsOf } from "../children/child-threads.ts";
import type { ObjectContext } from "../object-context.ts";
import { definitionAccess } from "./definition-access.ts";
import { carriedMessages, carriedOn, messagesBefore } from "./earlier-messages.ts";
import { executionState, StopFlag } from "./execution.ts";
import { Journal } from "./journal.ts";
import { leftAt, notBegun } from "./recovery.ts";
import { RunLimits } from "./run-limits.ts";
import { steeringOf } from "./steering.ts";

/** What a drive needs: the loop's ports, and the journal to close afterwards. */
export interface AssembledRun {
  ports: RunPorts;
  journal: Journal;
  limits: RunLimits;
  /** Calls whose answers were there when the drive began. */
  answered: ReadonlySet<string>;
}

/** Assembles a run from its rows. Rejects when its agent is not defined any more. */
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
  // Only a run that was taken up again has answers already; then its rows say how far it came.
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
  // A definition may keep `execution` for longer than the run is at work: the row is another's then.
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
  // A prompt without `includeChat` is sent only its run's messages. A run that repeats another one needs that run's messages too.
  const carried = carriedOn(live, run);
  const before = carried === null ? [] : carriedMessages(live, carried, run);
  const children = new ChildThreadsOf(context, run);
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
    answers: answersOf(context),
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
  const answered = new Set(journal.messages.filter(hasAnswer).map(({ id }) => id));
  return { answered, ports, journal, limits };
}

/** A call whose answer was delivered and not taken yet. */
export function hasAnswer({ status, awaits }: MessageRecord): boolean {
  return status === "started" && awaits !== undefined && awaits.delivered !== null;
}

/** Messages that are searched for the last answer: between two answers are at most the results of one step. */
const lookBack = 50;

/** The side that begins: the one that did not answer last (decision 9: two models in a thread). */
function firstSide({ live }: ObjectContext, run: RunRecord, agent: AnyAgentDefinition): Side {
  if (agent.type !== "dual_ai") return "a";
  const last = messagesBefore(live, run, lookBack).find(isAnswer)?.side ?? "b";
  return otherSide(last);
}
