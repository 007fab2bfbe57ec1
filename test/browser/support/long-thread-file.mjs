// Generates an exported thread of any length, for a test or a benchmark that imports thousands of messages.

import { createHash, randomUUID } from "node:crypto";

/**
 * An id of UUID version 7. Such ids sort in the order of their numbers.
 * @param {number} number
 */
function orderedId(number) {
  const hex = (0x019a_0000_0000 + number).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001`;
}

/**
 * The text of a message: mostly short, sometimes with code and a table, as in real answers.
 * @param {number} number
 */
export function textOf(number) {
  const words = `Message ${number}. ${"It says a little. ".repeat(1 + (number % 9))}`;
  if (number % 10 !== 1) return words;
  const code = Array.from(
    { length: 12 },
    (_, line) => `const value${line} = await thread.send("${number}", { step: ${line} });`,
  );
  const rows = Array.from({ length: 6 }, (_, row) => `| row ${row} | **${number * row}** |`);
  return [words, "```ts", ...code, "```", "", "| what | how much |", "|---|---|", ...rows].join("\n");
}

/**
 * The lines of a thread of `agent` with the given number of messages. Each message contains its number.
 * @param {string} agent @param {number} messages
 * @returns {{ id: string, lines: string }}
 */
export function longThreadFile(agent, messages) {
  const id = randomUUID();
  const at = 1_790_000_000_000_000;
  /** @param {number} number */
  const record = (number) => {
    const messageId = orderedId(number);
    const role = number % 2 === 0 ? "user" : "assistant";
    const event = { at: at + number, message_id: messageId, depth: 0 };
    return {
      id: messageId,
      branch: "main",
      position: messageId,
      role,
      parts: [{ type: "text", text: textOf(number) }],
      name: null,
      tool_call_id: null,
      parent_id: null,
      depth: 0,
      silent: false,
      metadata: {},
      run_id: null,
      step: null,
      side: null,
      status: "complete",
      stop_reason: null,
      model: null,
      usage: null,
      cost: null,
      result: null,
      created_at: at + number,
      updated_at: at + number,
      events: [
        { seq: 2 * number + 1, type: "message_start", ...event, role, position: messageId },
        { seq: 2 * number + 2, type: "message_end", ...event },
      ],
    };
  };
  const thread = {
    id,
    agent_id: agent,
    origin_agent_id: agent,
    user_id: null,
    title: `${messages} messages`,
    tags: [],
    metadata: {},
    status: "idle",
    created_at: at,
    updated_at: at + messages,
    active_run_id: null,
    queue: [],
    held: false,
    branch: "main",
    last_seq: 2 * messages,
    last_position: orderedId(messages - 1),
    last_message: `Message ${messages - 1}.`,
  };
  const counts = { messages, files: 0, file_bytes: 0 };
  const lines = [
    { type: "header", format: "threadhold-thread", version: 1, thread_id: id, exported_at: at, files: false, counts },
    { type: "thread", thread },
    { type: "branch", branch: { id: "main", parent_branch: null, fork_position: null, created_at: at } },
    ...Array.from({ length: messages }, (_, number) => ({ type: "message", message: record(number) })),
  ];
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(body).digest("hex");
  const all = { branches: 1, runs: 0, messages, logs: 0, events: 0, folders: 0, files: 0, file_bytes: 0 };
  return { id, lines: `${body}${JSON.stringify({ type: "end", counts: all, sha256 })}\n` };
}
