// The runner of a tool call to a prompt: a nested loop in the same thread, one level deeper. The parent of the loop's messages is the
// call's tool message (decision 10: prompts as tools). The rows contain the loop's state, so a call that a crash interrupts continues after
// its last row.

import type { EventDraft } from "#contract/event.ts";
import { addCost, addUsage, zeroUsage } from "#contract/usage.ts";
import { run } from "#core/loop.ts";
import type { NestedCall, NestedEnd, NestedOutcome, NestedRunner, ToolRunner } from "#core/ports/tool-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { blankStreak } from "#core/record/blank-answer.ts";
import { messageDraft } from "#core/record/message-draft.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { progressOf } from "#core/record/run-state.ts";
import { scopeUnder, isInScope } from "#core/record/scope.ts";
import type { Scope } from "#core/record/scope.ts";
import { toMessage } from "#core/record/view.ts";
import type { CallContext } from "#core/tools/call-slot.ts";
import { errorResult } from "#core/tools/error-results.ts";
import type { AnyPromptDefinition, SubpromptConfig } from "#spec/index.ts";

import type { StepBuilder } from "../request/step-builder.ts";
import { sideStrategy } from "../strategy/side-strategy.ts";
import { answersWithoutCalls, formOfPrompt } from "../strategy/structured-answer.ts";
import { firstMessageText } from "./first-message-text.ts";
import { nestedToolRunner } from "./nested-tool-runner.ts";
import { subpromptResult } from "./subprompt-result.ts";

/** The default of a sub-prompt's `maxSteps` (decision 10: prompts as tools). */
const defaultSteps = 10;

/** The deepest nesting of prompts that call each other. It bounds the recursion of a prompt that calls itself. */
const maxLoopDepth = 10;

/** Creates the runner. `builderFor` creates the step builder of a call's nested loop. */
export function subpromptRunner(
  config: SubpromptConfig,
  prompt: AnyPromptDefinition,
  builderFor: (line: Scope, call: MessageRecord, prompt: string) => StepBuilder,
): ToolRunner {
  const nested: NestedRunner = {
    begin: ({ id, args, message }) => ({ events: [startEvent(prompt, { id, message, text: inputText(args) })] }),
    run: (call, context) => execute(call, context),
  };
  const maxSteps = config.maxSteps ?? defaultSteps;
  const inputText = (args: NestedCall["args"]) => firstMessageText(args, prompt, config.initUserMessageProperty);

  async function execute(call: NestedCall, context: CallContext): Promise<NestedOutcome> {
    const { message } = call;
    const scope = scopeUnder(message);
    const { ports } = context;
    const { journal } = ports;
    if (scope.depth > maxLoopDepth) {
      const result = errorResult(tooDeepText);
      return { type: "answer", answer: result, end: nestedEnd(prompt, call, { messages: journal.messages, result }) };
    }
    if (!journal.messages.some((known) => isInScope(scope, known))) {
      await ports.faults.at("subprompt.input");
      await appendInput(call, scope, context);
    }
    const steps = builderFor(scope, message, prompt.name);
    const side = { prompt: prompt.name };
    const strategy = sideStrategy(side, {
      maxSteps,
      blanks: () => blankStreak(journal.messages, scope),
      form: formOfPrompt(prompt),
      attempts: () => answersWithoutCalls(journal.messages, scope),
    });
    await ports.faults.at("subprompt.run");
    const halt = await run({ ...ports, scope, steps, strategy }, context.signal);
    if (halt.type === "suspend") return { type: "suspend", until: halt.until };
    // If the loop ended at a limit before it took `maxSteps` steps, a limit of the run ended it.
    const isCut = halt.end.status === "limit" && progressOf(journal.messages, scope).steps < maxSteps;
    const result = subpromptResult(config, { call: message, messages: journal.messages, end: halt.end, isCut });
    return { type: "answer", answer: result, end: nestedEnd(prompt, call, { messages: journal.messages, result }) };
  }

  async function appendInput(
    { args, message }: NestedCall,
    line: Scope,
    { ports, events }: CallContext,
  ): Promise<void> {
    const draft: MessageRecord = {
      ...messageDraft({
        id: ports.ids.ordered(),
        role: "user",
        parts: [{ type: "text", text: inputText(args) }],
        branch: ports.run.branch,
        at: ports.clock.now(),
        run_id: ports.run.id,
      }),
      parent_id: message.id,
      depth: line.depth,
    };
    await ports.faults.at("subprompt.before-create");
    const input = await ports.hooks.beforeCreateMessage(draft);
    const staged = events.fork();
    const of = { message_id: input.id, depth: line.depth };
    staged.stage({ type: "message_start", ...of, role: "user", position: input.position, parent_id: message.id });
    staged.stage({ type: "message_end", ...of, message: toMessage(input) });
    const stored = { ...input, events: staged.take() };
    ports.journal.append(stored);
    staged.release();
    await ports.faults.at("subprompt.after-create");
    await ports.hooks.afterCreateMessage(stored);
  }

  return nestedToolRunner({ name: prompt.name, description: prompt.toolDescription, prompt }, nested);
}

const tooDeepText = `Prompts call each other more than ${maxLoopDepth} levels deep. Answer without calling another one.`;

function startEvent(
  { name }: AnyPromptDefinition,
  { id, message, text }: { id: string; message: MessageRecord; text: string },
): EventDraft {
  return {
    type: "subagent_start",
    message_id: message.id,
    subagent_id: message.id,
    subagent_type: name,
    parent_tool_call_id: id,
    prompt: text,
  };
}

function nestedEnd(
  { name }: AnyPromptDefinition,
  { id, message }: NestedCall,
  { messages, result }: { messages: readonly MessageRecord[]; result: ToolAnswer },
): NestedEnd {
  const own = messagesUnder(message, messages);
  return {
    type: "subagent_end",
    message_id: message.id,
    subagent_id: message.id,
    subagent_type: name,
    parent_tool_call_id: id,
    success: result.status === "success",
    usage: own.reduce((sum, { usage }) => addUsage(sum, usage ?? zeroUsage), zeroUsage),
    cost: own.reduce<number | null>((sum, { usage, cost }) => (usage === null ? sum : addCost(sum, cost)), 0),
    tool_executions: own.filter(({ role }) => role === "tool").length,
  };
}

/** The messages of a call's nested loop, and of all loops below it. */
function messagesUnder(call: MessageRecord, messages: readonly MessageRecord[]): MessageRecord[] {
  const above = new Set([call.id]);
  return messages.filter(({ id, parent_id }) => {
    const under = parent_id !== null && above.has(parent_id);
    if (under) above.add(id);
    return under;
  });
}
