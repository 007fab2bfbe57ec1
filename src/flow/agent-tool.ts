// An agent with two sides, called as a tool: its conversation runs in a thread of its own, and the call waits for what comes
// of it (decision 11). The row of the call names the child before the child is made, so a crash at any point finds it again.

import type { EventDraft } from "#contract/event.ts";
import { zeroUsage } from "#contract/usage.ts";
import type { AwaitedChild, Delivered } from "#core/awaited.ts";
import { errorMessage } from "#core/cut-text.ts";
import { sharersOf } from "#core/limits/share.ts";
import type { ChildThreads } from "#core/ports/child-threads.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { NestedCall, NestedEnd, NestedOutcome, NestedRunner, ToolRunner } from "#core/ports/tool-port.ts";
import type { CallContext } from "#core/tools/call-slot.ts";
import { errorResult, noBudgetForAgent, stoppedCall } from "#core/tools/error-results.ts";
import type { AnyAgentDefinition, AnyPromptDefinition } from "#spec/index.ts";

import { firstWords } from "./first-words.ts";
import { nestedToolRunner } from "./nested-tool-runner.ts";

/** Microseconds a call waits for its child thread. */
const patience = 24 * 60 * 60 * 1_000_000;

/** Threads that may stand above each other: an agent that calls itself has to end. */
const deepestThread = 10;

/** Makes the runner. `prompt` is that of the agent's first side. */
export function agentToolRunner(
  agent: AnyAgentDefinition,
  prompt: AnyPromptDefinition,
  { children, clock, faults }: { children: ChildThreads; clock: Clock; faults: Faults },
): ToolRunner {
  const nested: NestedRunner = {
    begin: ({ id, args, message }) => {
      const thread_id = children.newId();
      const awaits: AwaitedChild = {
        kind: "child",
        thread_id,
        agent_id: agent.name,
        deadline: clock.now() + patience,
        delivered: null,
      };
      const start: EventDraft = {
        type: "subagent_start",
        message_id: message.id,
        ...ids(awaits, id),
        prompt: firstWords(args, prompt),
      };
      return { awaits, events: [start] };
    },
    run: (call, context) => answer(call, context),
  };

  async function answer(call: NestedCall, context: CallContext): Promise<NestedOutcome> {
    const { awaits } = current(call, context);
    if (awaits?.kind !== "child")
      return { type: "answer", answer: errorResult("The child thread of this call is not known.") };
    if (awaits.delivered !== null) return delivered(call, awaits, awaits.delivered);
    if (context.signal.aborted) return givenUp(awaits, stoppedCall, call);
    if (awaits.deadline <= clock.now()) return givenUp(awaits, errorResult("The agent did not answer in time."), call);
    if (children.depth >= deepestThread) {
      const end = nestedEnd(call, awaits, { success: false, ...nothingUsed });
      return { type: "answer", answer: errorResult(tooDeep), end };
    }
    await faults.at("child.limits");
    const limits = await context.ports.limits?.forChild(awaits.thread_id, () => sharersOf(call.id, context));
    if (limits === null) return givenUp(awaits, noBudgetForAgent, call);
    try {
      await faults.at("child.start");
      await children.start({
        thread_id: awaits.thread_id,
        agent_id: agent.name,
        run_id: context.ports.run.id,
        tool_call_id: call.id,
        message_id: call.message.id,
        text: firstWords(call.args, prompt),
        limits: limits ?? {},
      });
    } catch (thrown) {
      const said = errorResult(`The agent "${agent.name}" could not be started: ${errorMessage(thrown)}`);
      return givenUp(awaits, said, call);
    }
    return { type: "suspend", until: awaits.deadline };
  }

  function givenUp(awaits: AwaitedChild, said: ReturnType<typeof errorResult>, call: NestedCall): NestedOutcome {
    children.stop(awaits);
    // What the child used is not known yet: it tells when it has stopped, and the call's row takes that alone.
    return { type: "answer", answer: said, end: nestedEnd(call, awaits, { success: false, ...nothingUsed }) };
  }

  const description = agent.toolDescription ?? agent.description ?? `Let ${agent.name} work on a task.`;
  return { ...nestedToolRunner({ name: agent.name, description, prompt }, nested), elsewhere: true };
}

const tooDeep = `Agents call each other more than ${deepestThread} threads deep. Answer without calling another one.`;

/** The call's row as it is now: the answer may have been put into it meanwhile. */
function current({ message }: NestedCall, { ports }: CallContext) {
  return ports.journal.messages.find((known) => known.id === message.id) ?? message;
}

function ids(awaits: AwaitedChild, callId: string) {
  return {
    subagent_id: awaits.thread_id,
    subagent_type: awaits.agent_id,
    parent_tool_call_id: callId,
    child_thread_id: awaits.thread_id,
  };
}

function delivered(
  call: NestedCall,
  awaits: AwaitedChild,
  { answer, usage, cost, tool_executions }: Delivered,
): NestedOutcome {
  const success = answer.status === "success";
  return { type: "answer", answer, end: nestedEnd(call, awaits, { success, usage, cost, tool_executions }) };
}

const nothingUsed = { usage: zeroUsage, cost: 0, tool_executions: 0 };

function nestedEnd(
  { id, message }: NestedCall,
  awaits: AwaitedChild,
  came: Pick<NestedEnd, "success" | "usage" | "cost" | "tool_executions">,
): NestedEnd {
  return { type: "subagent_end", message_id: message.id, ...ids(awaits, id), ...came };
}
