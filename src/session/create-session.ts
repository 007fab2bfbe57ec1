// `createSession` (agent API rework plan, "New API Design"): creates a session, or restores one from the properties of an earlier one.

import { refuse } from "#contract/error.ts";

import type { AgentContext, AgentSession } from "./agent-session.ts";
import { Conversation } from "./conversation.ts";
import { readMessages } from "./read-input.ts";
import { resume } from "./resume.ts";
import { readOptions } from "./session-options.ts";
import type { SessionOptions } from "./session-options.ts";
import { toolRunners } from "./tool-runners.ts";

/** The conversations of the sessions that were returned. */
const conversations = new WeakMap<AgentSession, Conversation>();

/**
 * Creates a session. If `context.messages` are those of an earlier session, the new session continues that conversation, also if calls of
 * remote tools are open. `options.model` is required. Throws a `ThreadholdError`: `model_not_found` for the name of a model that is not
 * among the definitions, and `invalid_request` for every other invalid id, context, message, tool or option.
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

/** Checks the context at run time, because it may be JSON that no compiler has checked. */
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

/** Returns the conversation of a session. Throws `invalid_request` for an object that `createSession` did not return. */
export function conversationOf(session: AgentSession): Conversation {
  const conversation = conversations.get(session);
  if (conversation !== undefined) return conversation;
  throw refuse(
    "invalid_request",
    "execute takes a session that createSession made. Restore a stored one: createSession(id, { messages, tools }, options).",
  );
}

/** Accepts the same ids as the session endpoints, so that a client can continue the conversation there under the same id. */
function sessionId(id: unknown): string {
  if (typeof id === "string" && /^[\w.:-]{1,128}$/.test(id)) return id;
  throw refuse("invalid_request", 'A session id is 1 to 128 of letters, digits, "_", ".", ":" and "-".');
}
