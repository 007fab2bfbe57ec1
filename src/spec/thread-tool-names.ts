// The names of the tools with which an MCP client continues a thread. The compiler refuses an exposed agent with one of these names.

/** The names by what the tool does. */
export const threadToolNames = {
  /** Sends a message to a thread. */
  message: "thread_message",
  /** Waits for a thread's run and returns its result. */
  result: "thread_result",
  /** Answers a call that a thread waits for. */
  answer: "thread_answer",
  /** Stops a thread's run. */
  stop: "thread_stop",
} as const;
