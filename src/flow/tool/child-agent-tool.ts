// The runner of a tool call to an agent with two sides, that is two models that talk to each other. The conversation runs in a child
// thread, and the call waits for its result (decision 11: agents as tools). The call's row stores the child thread's id before the child is
// created, so that a run that resumes after a crash finds the child.

import type { EventDraft } from "#contract/event.ts";
import { zeroUsage } from "#contract/usage.ts";
import { countSharers } from "#core/limits/share.ts";
import type { ChildThreads } from "#core/ports/child-thread-port.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { NestedCall, NestedEnd, NestedOutcome, NestedRunner, ToolRunner } from "#core/ports/tool-port.ts";
import type { AwaitedChildResult, Delivered } from "#core/record/awaited.ts";
import type { CallContext } from "#core/tools/call-slot.ts";
import { errorResult } from "#core/tools/error-results.ts";
import { threadResults } from "#core/tools/read-result.ts";
import { errorMessage } from "#lib/cut-text.ts";
import type { AnyAgentDefinition, AnyPromptDefinition } from "#spec/index.ts";

import { firstMessageText } from "./first-message-text.ts";
import { nestedToolRunner } from "./nested-tool-runner.ts";

/** The bounds of calls to agents, and the texts that a model reads in place of the result. */
export interface ChildCallSettings {
  /** Milliseconds that a call waits for the result of its child thread. */
  timeoutMs: number;
  /** The deepest nesting of threads by such calls. It bounds the recursion of an agent that calls itself. */
  maxDepth: number;
  texts: {
    /** The row of the call names no child thread. */
    unknownChild(): string;
    /** The child thread had no result before the call's deadline. */
    timedOut(): string;
    /** The call would nest threads deeper than `maxDepth`. */
    tooDeep(maxDepth: number): string;
    /** The remaining budget of the run is too small for a child thread. */
    noBudget(): string;
    /** The child thread could not be created. */
    notStarted(agent: string, cause: string): string;
  };
}

/** The default settings. */
export const threadChildCalls: ChildCallSettings = {
  timeoutMs: 24 * 60 * 60 * 1000,
  maxDepth: 10,
  texts: {
    unknownChild: () => "The child thread of this call is not known.",
    timedOut: () => "The agent did not answer in time.",
    tooDeep: (maxDepth) =>
      `Agents call each other more than ${maxDepth} threads deep. Answer without calling another one.`,
    noBudget: () => "The run's limits leave too little for another agent. Answer without calling one.",
    notStarted: (agent, cause) => `The agent "${agent}" could not be started: ${cause}`,
  },
};

/** The dependencies of calls to agents. The default of `settings` is `threadChildCalls`. */
export interface ChildCallPorts {
  children: ChildThreads;
  clock: Clock;
  faults: Faults;
  settings?: ChildCallSettings;
}

/** Creates the runner of the calls to one agent. `prompt` is the prompt of the agent's first side. */
export function agentToolRunner(
  agent: AnyAgentDefinition,
  prompt: AnyPromptDefinition,
  { children, clock, faults, settings: { timeoutMs, maxDepth, texts } = threadChildCalls }: ChildCallPorts,
): ToolRunner {
  const nested: NestedRunner = {
    begin: ({ id, args, message }) => {
      const thread_id = children.newId();
      const awaits: AwaitedChildResult = {
        kind: "child",
        thread_id,
        agent_id: agent.name,
        deadline: clock.now() + timeoutMs * 1000,
        delivered: null,
      };
      const start: EventDraft = {
        type: "subagent_start",
        message_id: message.id,
        ...childIds(awaits, id),
        prompt: firstMessageText(args, prompt),
      };
      return { awaits, events: [start] };
    },
    run: (call, context) => execute(call, context),
  };

  async function execute(call: NestedCall, context: CallContext): Promise<NestedOutcome> {
    const { awaits } = currentRow(call, context);
    if (awaits?.kind !== "child") return { type: "answer", answer: errorResult(texts.unknownChild()) };
    if (awaits.delivered !== null) return deliveredOutcome(call, awaits, awaits.delivered);
    const { errors } = context.ports.results ?? threadResults;
    if (context.signal.aborted) return abandonChild(awaits, errors.stopped(agent.name), call);
    if (awaits.deadline <= clock.now()) return abandonChild(awaits, texts.timedOut(), call);
    if (children.depth >= maxDepth) {
      const end = nestedEnd(call, awaits, { success: false, ...zeroFigures });
      return { type: "answer", answer: errorResult(texts.tooDeep(maxDepth)), end };
    }
    await faults.at("child.limits");
    const limits = await context.ports.limits?.forChild(awaits.thread_id, () => countSharers(call.id, context));
    if (limits === null) return abandonChild(awaits, texts.noBudget(), call);
    try {
      await faults.at("child.start");
      await children.start({
        thread_id: awaits.thread_id,
        agent_id: agent.name,
        run_id: context.ports.run.id,
        tool_call_id: call.id,
        message_id: call.message.id,
        text: firstMessageText(call.args, prompt),
        limits: limits ?? {},
      });
    } catch (thrown) {
      return abandonChild(awaits, texts.notStarted(agent.name, errorMessage(thrown)), call);
    }
    return { type: "suspend", until: awaits.deadline };
  }

  function abandonChild(awaits: AwaitedChildResult, text: string, call: NestedCall): NestedOutcome {
    children.stop(awaits);
    // The child's usage is unknown until the child has stopped and reports it. It is then added to the call's row.
    return {
      type: "answer",
      answer: errorResult(text),
      end: nestedEnd(call, awaits, { success: false, ...zeroFigures }),
    };
  }

  const description = agent.toolDescription ?? agent.description ?? `Let ${agent.name} work on a task.`;
  return { ...nestedToolRunner({ name: agent.name, description, prompt }, nested), elsewhere: true };
}

/** The current row of the call. The child's result may have been stored in this row since the call began. */
function currentRow({ message }: NestedCall, { ports }: CallContext) {
  return ports.journal.messages.find((known) => known.id === message.id) ?? message;
}

function childIds(awaits: AwaitedChildResult, callId: string) {
  return {
    subagent_id: awaits.thread_id,
    subagent_type: awaits.agent_id,
    parent_tool_call_id: callId,
    child_thread_id: awaits.thread_id,
  };
}

function deliveredOutcome(
  call: NestedCall,
  awaits: AwaitedChildResult,
  { answer, usage, cost, tool_executions }: Delivered,
): NestedOutcome {
  const success = answer.status === "success";
  return { type: "answer", answer, end: nestedEnd(call, awaits, { success, usage, cost, tool_executions }) };
}

const zeroFigures = { usage: zeroUsage, cost: 0, tool_executions: 0 };

function nestedEnd(
  { id, message }: NestedCall,
  awaits: AwaitedChildResult,
  figures: Pick<NestedEnd, "success" | "usage" | "cost" | "tool_executions">,
): NestedEnd {
  return { type: "subagent_end", message_id: message.id, ...childIds(awaits, id), ...figures };
}
