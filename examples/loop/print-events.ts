// Prints the events of loops as they arrive.

import type { AgentEvent, AgentRun } from "threadhold/loop";

/** Prints texts, calls, errors and the tokens of a run. Resolves at its end. */
export async function printEvents(run: AgentRun): Promise<void> {
  for await (const event of run) printEvent(event);
}

/** Prints one event. `onEvent` of a sub-agent takes it too. */
export function printEvent(event: AgentEvent): void {
  if (event.type === "MessageUpdate" && "Text" in event.delta) process.stdout.write(event.delta.Text.delta);
  else if (event.type === "ToolExecutionStart") console.log(`\n[${event.tool_name} ${JSON.stringify(event.args)}]`);
  else if (event.type === "ToolExecutionEnd" && event.is_error) console.log(JSON.stringify(event.result.content));
  else if (event.type === "ProgressMessage") console.log(`[${event.tool_name}: ${event.text}]`);
  else if (event.type === "InputRejected") console.log(event.reason);
  else if (event.type === "MessageEnd" && event.message.role === "assistant") {
    console.log(event.message.error_message ?? "");
  } else if (event.type === "AgentEnd") console.log(`(${event.usage.total_tokens} tokens)`);
}
