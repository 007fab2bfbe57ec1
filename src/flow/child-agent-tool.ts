// The runner of a tool call to an agent with two sides, that is two models that talk to each other. The conversation runs in a child
// thread, and the call waits for its result (decision 11: agents as tools). The call's row stores the child thread's id before the child is
// created, so that a run that resumes after a crash finds it.

import type { EventDraft } from "#contract/event.ts";
import { zeroUsage } from "#contract/usage.ts";
import type { AwaitedChildResult, Delivered } from "#core/awaited.ts";
import { errorMessage } from "#core/cut-text.ts";
import { countSharers } from "#core/limits/share.ts";
import type { ChildThreads } from "#core/ports/child-thread-port.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { NestedCall, NestedEnd, NestedOutcome, NestedRunner, ToolRunner } from "#core/ports/tool-port.ts";
import type { CallContext } from "#core/tools/call-slot.ts";
import { errorResult, noBudgetForAgent, stoppedCall } from "#core/tools/error-results.ts";
import type { AnyAgentDefinition, AnyPromptDefinition } from "#spec/index.ts";

import { firstMessageText } from "./first-message-text.ts";
import { nestedToolRunner } from "./nested-tool-runner.ts";

/** How long a call waits for the result of its child thread, in microseconds. */
const childResultTimeout = 24 * 60 * 60 * 1_000_000;

/** The deepest nesting of threads by such calls. It ends an agent that calls itself. */
const maxThreadDepth = 10;

/** Creates the runner of the calls to one agent. `prompt` is the prompt of the agent's first side. */
export function agentToolRunner(
  agent: AnyAgentDefinition,
  prompt: AnyPromptDefinition,
  { children, clock, faults }: { children: ChildThreads; clock: Clock; faults: Faults },
): ToolRunner {
  const nested: NestedRunner = {
    begin: ({ id, args, message }) => {
      const thread_id = children.newId();
      const awaits: AwaitedChildResult = {
        kind: "child",
        thread_id,
        agent_id: agent.name,
        deadline: clock.now() + childResultTimeout,
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
    if (awaits?.kind !== "child")
      return { type: "answer", answer: errorResult("The child thread of this call is not known.") };
    if (awaits.delivered !== null) return deliveredOutcome(call, awaits, awaits.delivered);
    if (context.signal.aborted) return abandonChild(awaits, stoppedCall, call);
    if (awaits.deadline <= clock.now())
      return abandonChild(awaits, errorResult("The agent did not answer in time."), call);
    if (children.depth >= maxThreadDepth) {
      const end = nestedEnd(call, awaits, { success: false, ...zeroFigures });
      return { type: "answer", answer: errorResult(tooDeepText), end };
    }
    await faults.at("child.limits");
    const limits = await context.ports.limits?.forChild(awaits.thread_id, () => countSharers(call.id, context));
    if (limits === null) return abandonChild(awaits, noBudgetForAgent, call);
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
      const said = errorResult(`The agent "${agent.name}" could not be started: ${errorMessage(thrown)}`);
      return abandonChild(awaits, said, call);
    }
    return { type: "suspend", until: awaits.deadline };
  }

  function abandonChild(
    awaits: AwaitedChildResult,
    result: ReturnType<typeof errorResult>,
    call: NestedCall,
  ): NestedOutcome {
    children.stop(awaits);
    // The child's usage is unknown until the child has stopped and reports it. It is then added to the call's row.
    return { type: "answer", answer: result, end: nestedEnd(call, awaits, { success: false, ...zeroFigures }) };
  }

  const description = agent.toolDescription ?? agent.description ?? `Let ${agent.name} work on a task.`;
  return { ...nestedToolRunner({ name: agent.name, description, prompt }, nested), elsewhere: true };
}

const tooDeepText = `Agents call each other more than ${maxThreadDepth} threads deep. Answer without calling another one.`;

/** The current row of the call. The result may have been stored in it in the meantime. */
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
