// `createSession` (agent API rework plan, "New API Design"): a session, new or made again of what an earlier one showed.

import { refuse } from "#contract/error.ts";

import type { AgentContext, AgentSession } from "./agent-session.ts";
import { Conversation } from "./conversation.ts";
import { readMessages } from "./read-input.ts";
import { resume } from "./resume.ts";
import { readOptions } from "./session-options.ts";
import type { SessionOptions } from "./session-options.ts";
import { toolRunners } from "./tool-runners.ts";

/** What stands behind the sessions that were handed out. */
const conversations = new WeakMap<AgentSession, Conversation>();

/**
 * Creates a session, or restores one: with the `messages` of an earlier one it goes on where that one was, also where calls of
 * remote tools were open. `options.model` is needed. Throws a `ThreadholdError` for what could not be run: `invalid_request`
 * for tools that share a name or whose schemas cannot be checked and for messages of another shape, `model_not_found`.
 */
export function createSession(id: string, context: AgentContext, options?: SessionOptions): AgentSession {
  const { model, toolTimeoutMs } = readOptions(options);
  const { systemPrompt = "", messages = [], tools = [] } = readContext(context);
  const conversation = new Conversation({
    id: sessionId(id),
    systemPrompt,
    tools: toolRunners(tools, toolTimeoutMs),
    options: options ?? { model },
    model: model.name,
  });
  resume(conversation, readMessages(messages));
  const session: AgentSession = {
    id,
    get status() {
      return conversation.status;
    },
    get model() {
      return conversation.model;
    },
    get messages() {
      return conversation.messages;
    },
    get totalCost() {
      return conversation.cost;
    },
    get pendingToolCalls() {
      const { status, pending } = conversation;
      return status === "awaiting_tool_execution" ? [...pending] : undefined;
    },
  };
  conversations.set(session, conversation);
  return session;
}

/** It may have been JSON, whatever its type says. */
function readContext(context: unknown): AgentContext {
  const { systemPrompt, messages, tools } = (context ?? {}) as Record<string, unknown>;
  const fits =
    typeof context === "object" &&
    (systemPrompt === undefined || typeof systemPrompt === "string") &&
    (messages === undefined || Array.isArray(messages)) &&
    (tools === undefined || Array.isArray(tools));
  if (context !== null && fits) return context;
  throw refuse(
    "invalid_request",
    "The context of a session is { systemPrompt?, messages?, tools? }: a text, and two lists.",
  );
}

/** What stands behind a session. */
export function conversationOf(session: AgentSession): Conversation {
  const conversation = conversations.get(session);
  if (conversation !== undefined) return conversation;
  throw refuse(
    "invalid_request",
    "execute takes a session that createSession made. Restore a stored one: createSession(id, { messages, tools }, options).",
  );
}

/** As over HTTP, so that a session may move there. */
function sessionId(id: unknown): string {
  if (typeof id === "string" && /^[\w.:-]{1,128}$/.test(id)) return id;
  throw refuse("invalid_request", 'A session id is 1 to 128 of letters, digits, "_", ".", ":" and "-".');
}
