// Prints a session's events as a person would read them.

import type { AgentEvent } from "threadhold/session";

/** Prints text as it arrives, and one line for each tool call, call that waits, or error. */
export function print(event: AgentEvent): void {
  switch (event.type) {
    case "text_delta":
      process.stdout.write(event.delta);
      return;
    case "text_end":
      process.stdout.write("\n");
      return;
    case "tool_execution_start":
      console.log(`→ ${event.toolName} ${JSON.stringify(event.args)}`);
      return;
    case "tool_execution_delta":
      console.log(`  … ${event.delta}`);
      return;
    case "tool_execution_end":
      console.log(`← ${event.output}`);
      return;
    case "awaiting_tool_execution":
      for (const { name } of event.toolCalls) console.log(`? ${name} is for somebody else to answer`);
      return;
    case "error":
      console.log(`! ${event.error}`);
      return;
    default:
  }
}
