// Executes the loop of a run until it halts: makes the loop's ports from the thread, runs the loop, and writes the rows of the run (the
// journal), with the same changes in the thread's data in memory. `host/host-ports.ts` makes the ports for a run that is executed in a
// process without storage.

import { isJsonObject } from "#contract/json.ts";
import { run as loop, stoppedByHook } from "#core/loop.ts";
import type { Halt } from "#core/loop.ts";
import type { ModelPort } from "#core/ports/model-port.ts";
import type { RunJournal } from "#core/ports/run-journal.ts";
import type { LiveContext, RunPorts } from "#core/ports/run-ports.ts";
import { blankStreak } from "#core/record/blank-answer.ts";
import type { LogRecord, MessageRecord } from "#core/record/record.ts";
import type { ExecutedRun, RunProgress, RunRecord } from "#core/record/run-record.ts";
import { lastStep } from "#core/record/run-state.ts";
import { isAnswer, mainScope } from "#core/record/scope.ts";
import { compaction } from "#core/step/compaction.ts";
import { hookStep } from "#core/step/hook-step.ts";
import { executionsOfCall } from "#core/tools/call-executions.ts";
import { reuseCalls } from "#core/tools/reuse-call.ts";
import type { HookRunner } from "#flow/hook/hook-runner.ts";
import { StepBuilder } from "#flow/request/step-builder.ts";
import { sectionSources } from "#flow/request/system-prompt.ts";
import { ConversationStrategy } from "#flow/strategy/conversation-strategy.ts";
import { mainParticipant } from "#flow/strategy/participant.ts";
import { answerForms, answersWithoutCalls, structuredTurns } from "#flow/strategy/structured-answer.ts";
import { turnStrategy } from "#flow/strategy/turn-strategies.ts";
import { agentTools } from "#flow/tool-source/agent-tools.ts";
import { clientTools } from "#flow/tool-source/client-tools.ts";
import type { DefinedSources } from "#flow/tool-source/defined-tools.ts";
import { projectTools } from "#flow/tool-source/project-tools.ts";
import { promptTools } from "#flow/tool-source/prompt-tools.ts";
import type { WorkerEnv } from "#spec/index.ts";
import type { MeteredStorage } from "#store/meter.ts";

import { threadAnswerFiles } from "../attachments/thread-answer-files.ts";
import { RunChildThreads } from "../children/run-children.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";
import { runAuthorizations } from "../owner-authorizations.ts";
import type { RecordedStep } from "../reader/in-flight-events.ts";
import type { ThreadWakeups } from "../thread-ports.ts";
import { definitionAccess } from "./definition-access.ts";
import type { DefinitionContext } from "./definition-access.ts";
import { StopFlag, executionState } from "./definition-execution.ts";
import { carriedMessages, carriedOn, firstSide, messagesBefore } from "./earlier-messages.ts";
import { steeringOf } from "./join-messages.ts";
import { askInRun } from "./questions.ts";
import { leftAt, notBegun } from "./recovery.ts";
import { requestedTexts } from "./requested-texts.ts";
import { settledCalls } from "./reusable-calls.ts";
import { errorOfRun, recordFailure } from "./run-failure.ts";
import { RunLimits } from "./run-limits.ts";
import { logToolFailures, toolCallLines } from "./run-line.ts";
import type { TracedThread } from "./run-line.ts";
import { threadProjections } from "./thread-projections.ts";
import { threadSkills, threadToolSources } from "./thread-tool-sources.ts";
import type { ToolSourceContext } from "./thread-tool-sources.ts";

/** The parts of a thread that execute its runs. */
export interface RunContext extends DefinitionContext, ToolSourceContext, TracedThread {
  storage: MeteredStorage;
  wakeups: ThreadWakeups;
  background: (work: Promise<unknown>) => void;
}

/** How the loop of a run halted, and the objects that were made for it. `journal` and `assembled` are null if making them failed. */
export interface ExecutedLoop {
  journal: Journal | null;
  assembled: AssembledRun | null;
  halt: Halt;
}

/** Executes the run's loop until it halts. Returns null if the thread was deleted meanwhile. A failure becomes the end of the run. */
export async function executeRun(
  context: RunContext,
  run: ExecutedRun,
  { abort, resumed }: { abort: AbortController; resumed: boolean },
): Promise<ExecutedLoop | null> {
  const { storage, live } = context;
  const { faults } = context.deployment;
  let journal: Journal | null = null;
  let assembled: AssembledRun | null = null;
  let halt: Halt | { thrown: unknown };
  try {
    if (resumed) {
      // The resumption is written to disk before the run continues. Otherwise, a run that crashes its object at once would lose the
      // record of the resumption, and would be resumed without end. While waiting for the disk the object can also serve other requests.
      await faults.at("run.taken-up");
      await storage.sync();
    }
    journal = new Journal(context, run, live.store.messagesAfter(run.branch, run.after_position));
    await faults.at("run.assemble");
    assembled = await assembleRun(context, run, { abort, journal });
    const { beforeRun } = assembled.hooks;
    let mayBegin = true;
    if (beforeRun !== undefined && !hasBegun(journal, run)) {
      await faults.at("run.before-hook");
      mayBegin = await beforeRun(run.id);
    }
    await faults.at("run.loop");
    halt = mayBegin ? await loop(assembled.ports, abort.signal) : { type: "end", end: stoppedByHook };
  } catch (thrown) {
    halt = { thrown };
  } finally {
    assembled?.limits.halt();
    // The run does not wait: a server may be slow to end a session.
    if (assembled !== null) context.background(assembled.toolSources.close());
  }
  const failedRun = assembled?.hooks.failedRun;
  const error = "thrown" in halt ? errorOfRun(halt.thrown) : halt.type === "end" ? halt.end.error : undefined;
  if (journal !== null && assembled !== null && failedRun !== undefined && error !== undefined && !live.retired) {
    const last = lastStep(journal.messages, mainScope)?.answer.step ?? 1;
    await faults.at("run.failed-hook");
    await failedRun(error, hookStep(last, assembled.ports));
  }
  if (live.retired) return null;
  if (!("thrown" in halt)) return { journal, assembled, halt };
  return { journal, assembled, halt: { type: "end", end: recordFailure(context, run, halt.thrown) } };
}

/** Whether the run has taken a step, or has begun one that is retried. */
function hasBegun({ messages }: Journal, { progress }: ExecutedRun): boolean {
  return progress.retry !== null || messages.some(isAnswer);
}

/** The journal of one execution of a run. */
export class Journal implements RunJournal {
  readonly #context: TracedThread;
  readonly #live: LiveThread;
  readonly #run: RunRecord;
  readonly #messages: MessageRecord[];

  /** `messages` are the run's existing messages. */
  constructor(context: TracedThread, run: RunRecord, messages: MessageRecord[]) {
    const { live } = context;
    this.#context = context;
    this.#live = live;
    this.#run = run;
    this.#messages = messages;
    live.runState.follow(messages);
  }

  get messages(): readonly MessageRecord[] {
    return this.#messages;
  }

  append(message: MessageRecord): void {
    const child = message.awaits?.kind === "child" ? message.awaits.thread_id : null;
    // A write of one row needs no transaction, which would take about as long as the write.
    if (child === null && message.position === message.id) this.#live.insertMessage(message);
    else {
      this.#live.transaction(() => {
        this.#live.insertMessage(message);
        if (child !== null) this.#adopt(child);
      });
    }
    // A tool message may have a position that was reserved before other messages were added, so the list is sorted.
    this.#messages.sort((left, right) => (left.position < right.position ? -1 : 1));
  }

  update(message: MessageRecord): void {
    this.#live.updateMessage(message);
  }

  closing(messageId: string): void {
    this.#live.runState.closing.add(messageId);
  }

  log(record: LogRecord, agent?: string): void {
    this.#live.used(this.#run, this.#messages);
    if (agent === undefined) this.#live.store.insertLog(record);
    else {
      this.#live.transaction(() => {
        this.#live.store.insertLog(record);
        this.#live.change({ agent_id: agent });
        this.#live.save();
      });
    }
    this.#live.broadcaster.releaseStored(recordedStep(record));
    logToolFailures(this.#context, record);
    this.#context.traces?.recordStep(this.#run, record, this.#messages);
  }

  appendQueued(message: MessageRecord): void {
    this.#live.transaction(() => {
      this.append(message);
      this.#live.store.updateRun(this.#run);
    });
  }

  saveRun(run: RunRecord): void {
    this.#live.store.updateRun(run);
  }

  /** Stores the child's id before the child exists, so that a deletion of this thread deletes it too. */
  #adopt(threadId: string): void {
    const { children = [] } = this.#live.record;
    this.#live.change({ children: [...children, threadId] });
    this.#live.save();
  }

  /** Closes the journal: from now on, results for calls are not added to its messages. */
  close(): void {
    this.#live.runState.follow(null);
  }
}

function recordedStep({ depth, data }: LogRecord): RecordedStep {
  const tools = Array.isArray(data["tools"]) ? data["tools"] : [];
  const results = tools.map((tool) => (isJsonObject(tool) ? tool["message_id"] : null));
  const messages = [data["message_id"], ...results].filter((id) => typeof id === "string");
  const under = typeof data["under"] === "string" ? data["under"] : undefined;
  return { step: Number(data["step"]), depth, under, messages: new Set(messages) };
}

/** The loop's ports, and the objects that the driver uses after the loop. */
interface AssembledRun {
  ports: RunPorts;
  limits: RunLimits;
  hooks: HookRunner;
  toolSources: DefinedSources;
  /** Ids of the tool messages whose results had arrived before this execution. */
  answered: ReadonlySet<string>;
}

/** Makes the ports from the run's rows. Rejects if the thread's agent is not defined any more. */
async function assembleRun(
  context: RunContext,
  run: ExecutedRun,
  { abort, journal }: { abort: AbortController; journal: RunJournal },
): Promise<AssembledRun> {
  const { live, definitions, files } = context;
  const { clock, faults, connection } = context.deployment;
  const { redact } = context.deployment.settings;
  const { signal } = abort;
  const agent = () => definitions.agent(live.record.agent_id);
  await faults.at("run.first-side");
  const first = run.side ?? firstSide(live, run, await agent());
  // A run without answers has no progress to restore. The progress of a resumed run is read from its rows.
  const left = journal.messages.some(isAnswer) ? leftAt(live, run) : notBegun;
  const flag = new StopFlag();
  flag.asked = left.stopAsked;
  const carried = carriedOn(live, run);
  const formOf = answerForms(definitions, run.structure ?? carried?.structure);
  const strategy = new ConversationStrategy({
    agent,
    first,
    blanks: () => blankStreak(journal.messages, mainScope),
    recorded: left.committed(mainScope).strategy,
    forced: left.forced,
    turnStrategy: async (of, side) => {
      await faults.at("run.turn-strategy");
      const turns = await turnStrategy(of, side, {
        definitions,
        clock,
        env: connection.env as WorkerEnv,
        redact,
      });
      await faults.at("run.answer-form");
      const form = await formOf(of, side);
      const attempts = () => answersWithoutCalls(journal.messages, mainScope);
      return form === null ? turns : structuredTurns(turns, form, attempts);
    },
    formOf,
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
  // Definitions may change or replace this object; the loop keeps the last copy that fits a row in `run.progress.context`.
  const liveContext: LiveContext = { current: structuredClone(run.progress.context) };
  const { state, hooks } = definitionAccess(context, { execution, context: liveContext, depth: 0 });
  // With a prompt without `includeChat`, a request contains only the messages of its run. A run that continues an earlier one needs that
  // run's messages too.
  const before = carried === null ? [] : carriedMessages(live, carried, run);
  const children = new RunChildThreads(context, run);
  const skills = threadSkills(context);
  const toolSources = threadToolSources(context, {
    signal,
    authorizations: runAuthorizations(context, run.id),
    requestedTexts: (prefix) => requestedTexts(live, run, prefix),
    ask: (callId, question, withdrawn) => askInRun(context, { callId, question, signal: withdrawn }),
  });
  const steps: StepBuilder = new StepBuilder(
    {
      definitions,
      hooks,
      faults,
      tools: (builderFor, chosenSkills) => [
        projectTools(definitions, {
          state,
          clock,
          faults,
          connection,
          redact,
          onCall: toolCallLines(context),
        }),
        promptTools(definitions, builderFor),
        agentTools(definitions, { children, clock, faults }),
        clientTools(() => live.record.setup?.tools ?? [], clock),
        ...toolSources.sources,
        skills.tools(chosenSkills),
      ],
      sections: sectionSources(definitions, skills.section),
      own: () => (before.length === 0 ? journal.messages : [...before, ...journal.messages]),
      files,
      clock,
      projections: threadProjections(live, left.projections),
    },
    mainParticipant(
      { definitions },
      {
        agent,
        side: () => strategy.side,
        formOf,
        earlier: (limit, range) => messagesBefore(live, carried ?? run, { limit, range }).toReversed(),
      },
    ),
  );
  const takeSettled = settledCalls(live.store, run);
  const ports: RunPorts = {
    run,
    scope: mainScope,
    journal,
    sink: live.broadcaster,
    models: modelsFor(context, run.id),
    steps,
    strategy,
    compaction,
    executions: executionsOfCall,
    reuse: (slots, call) => reuseCalls(slots, call, takeSettled),
    hooks,
    steering: steeringOf(live, run),
    answers: threadAnswerFiles(context),
    limits,
    clock,
    ids: { ordered: () => live.uuids.next(), random: () => Math.random() },
    faults,
    stopAsked: () => flag.asked,
    committed: left.committed,
    context: liveContext,
  };
  await faults.at("run.limits");
  await limits.watchTime();
  const answered = new Set(journal.messages.filter(hasDeliveredResult).map(({ id }) => id));
  return { answered, hooks, toolSources, ports, limits };
}

/** Whether a result of the call was delivered and the loop has not read it yet. */
export function hasDeliveredResult({ status, awaits }: MessageRecord): boolean {
  return status === "started" && awaits !== undefined && awaits.delivered !== null;
}

/** The models, whose requests name the run for the log of a gateway. */
function modelsFor({ deployment: { models }, live }: DeployedThread, runId: string): ModelPort {
  const { id: thread, user_id: user } = live.record;
  return {
    ...models,
    stream: (request, ...rest) => models.stream({ ...request, origin: { thread, run: runId, user } }, ...rest),
  };
}
