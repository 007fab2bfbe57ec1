// ThreadState: the interface of a thread for tools, hooks and thread endpoints (Standard Agents, threads).

import { refuse } from "#contract/error.ts";
import { jsonObjectSchema, jsonSchema } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";
import type { LiveContext } from "#core/ports/run-ports.ts";
import { logPage } from "#core/record/log-page.ts";
import { totalOf } from "#core/record/message-counts.ts";
import { messageDraft } from "#core/record/message-draft.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { textOf } from "#core/record/view.ts";
import { resultWithText, withText } from "#core/request/request-messages.ts";
import type {
  ExecutionState,
  ExtendedThreadState,
  GetLogsOptions,
  GetMessagesOptions,
  InjectMessageInput,
  Log,
  Message,
  MessagesResult,
  MessageUpdates,
  ToolResult,
} from "#spec/index.ts";

import { mergedMetadata, specMessage } from "../hook/hook-message.ts";
import type { HookRunner } from "../hook/hook-runner.ts";
import type { Definitions } from "../setup/project-definitions.ts";
import { fileState } from "./file-state.ts";
import type { ThreadAccess } from "./thread-access.ts";

/** The dependencies of a `ThreadState`. `execution` is null outside of a run; `context` lasts for one run. */
export interface ThreadStateParts {
  access: ThreadAccess;
  definitions: Definitions;
  hooks: () => HookRunner;
  execution: ExecutionState | null;
  context: LiveContext;
}

/** Creates the `ThreadState`. `agentId` is read at each access, because a handoff may change the agent. */
export function threadState(parts: ThreadStateParts): ExtendedThreadState {
  const { access, definitions } = parts;
  const state: ExtendedThreadState = {
    get threadId() {
      return access.thread().id;
    },
    get agentId() {
      return access.thread().agent_id;
    },
    get userId() {
      return access.thread().user_id;
    },
    get createdAt() {
      return access.thread().created_at;
    },
    env: access.env,
    getMessages: (options) => Promise.resolve(getMessages(access, options ?? {})),
    getMessage: (id) => Promise.resolve(getMessage(access, id)),
    injectMessage: (message) => injectMessage(parts, message),
    updateMessage: (id, updates) => updateMessage(parts, id, updates),
    getLogs: (options) => Promise.resolve(getLogs(access, options ?? {})),
    loadModel: <T>(name: string) => definitions.model(name) as Promise<T>,
    loadPrompt: <T>(name: string) => definitions.prompt(name) as Promise<T>,
    loadAgent: <T>(name: string) => definitions.agent(name) as Promise<T>,
    getPromptNames: () => definitions.names("prompts"),
    getAgentNames: () => definitions.names("agents"),
    getModelNames: () => definitions.names("models"),
    queueTool: (name, args) => access.queueTool(name, jsonObjectSchema.parse(args ?? {})),
    invokeTool: (name, args) => invokeTool(access, name, jsonObjectSchema.parse(args ?? {})),
    emit: (event, data) => access.emit(event, jsonSchema.parse(data ?? null)),
    get context() {
      return parts.context.current;
    },
    set context(value) {
      if (typeof value !== "object" || (value as unknown) === null) {
        throw refuse("invalid_request", "state.context takes an object.");
      }
      parts.context.current = value;
    },
    ...fileState(access.files),
    fetch: (url, init) => access.outbound(url, init ?? {}),
    execution: parts.execution,
  };
  return state;
}

function getMessages(access: ThreadAccess, options: GetMessagesOptions): MessagesResult {
  const limit = bounded(options.limit ?? 100);
  const offset = Math.max(0, Math.trunc(options.offset ?? 0));
  const thread = access.thread();
  const includeSilent = options.includeSilent ?? false;
  const filter = { includeSilent, maxDepth: options.maxDepth };
  const records = access.store.messages({
    branch: thread.branch,
    order: options.order ?? "asc",
    limit: offset + limit,
    ...filter,
  });
  const total = totalOf(thread.counts, filter);
  const messages = records.slice(offset).filter(isSpoken).map(specMessage);
  return { messages, total, hasMore: offset + limit < total };
}

/** Limits the number of entries that a query returns to at most 1,000. `NaN` counts as 100, a negative number as 0. */
function bounded(limit: number): number {
  return Number.isNaN(limit) ? 100 : Math.min(Math.max(0, Math.trunc(limit)), 1000);
}

function isSpoken(record: MessageRecord): boolean {
  return record.role !== "extension";
}

function getMessage(access: ThreadAccess, id: string): Message | null {
  const record = access.store.message(id);
  return record === null || !isSpoken(record) ? null : specMessage(record);
}

async function invokeTool(
  access: ThreadAccess,
  name: string,
  args: JsonObject,
): Promise<ToolResult & { value?: unknown }> {
  access.checkDepth();
  return access.invokeTool(name, args);
}

const injectable: ReadonlySet<string> = new Set(["user", "assistant", "system"] satisfies InjectMessageInput["role"][]);

async function injectMessage(
  { access, hooks, execution }: ThreadStateParts,
  message: InjectMessageInput,
): Promise<Message> {
  access.checkDepth();
  // Checked at run time although it is typed: a model or a request may have produced the value. A message with another role could not be
  // read again.
  if (!injectable.has(message.role) || typeof message.content !== "string") {
    throw refuse("invalid_request", "state.injectMessage takes a role of user, assistant or system, and text.");
  }
  const draft = messageDraft({
    id: access.ids.ordered(),
    role: message.role,
    parts: [{ type: "text", text: message.content }],
    branch: access.thread().branch,
    at: access.clock.now(),
    run_id: execution?.flowId ?? null,
    silent: message.silent,
    metadata: message.metadata === undefined ? undefined : jsonObjectSchema.parse(message.metadata),
  });
  const record = await hooks().beforeCreateMessage(draft);
  access.append(record);
  await hooks().afterCreateMessage(record);
  return specMessage(record);
}

/** Applies an update to a stored message and calls the hooks. The HTTP route uses it too. */
export async function updateMessage(
  { access, hooks }: Pick<ThreadStateParts, "access" | "hooks">,
  id: string,
  updates: MessageUpdates,
): Promise<Message> {
  access.checkDepth();
  const changed = await hooks().beforeUpdateMessage(id, { ...updates });
  const record = access.store.message(id);
  if (record === null) throw refuse("message_not_found", `There is no message "${id}" here.`);
  const { content } = changed;
  const now = access.clock.now();
  const next = {
    ...record,
    ...(typeof content === "string" ? withContent(record, content, now) : {}),
    metadata: mergedMetadata(record.metadata, jsonSchema.parse(changed["metadata"] ?? {})),
    updated_at: now,
  };
  access.replace(next);
  await hooks().afterUpdateMessage(next);
  return specMessage(next);
}

/** The message's parts and tool result with another text, and the time of the change. */
function withContent({ parts, result }: MessageRecord, text: string, now: number): Partial<MessageRecord> {
  return {
    parts: withText(parts, text),
    result: result === null ? null : resultWithText(result, text),
    ...(text === textOf(parts) ? {} : { edited_at: now }),
  };
}

function getLogs(access: ThreadAccess, options: GetLogsOptions): Log[] {
  const limit = bounded(options.limit ?? 100);
  const offset = Math.max(0, Math.trunc(options.offset ?? 0));
  const order = options.order ?? "asc";
  const read = (beyond: string | undefined, rows: number) => access.store.logs({ order, limit: rows, beyond });
  const logs: Log[] = [];
  let toSkip = offset;
  let after: string | undefined;
  do {
    const { entries, next } = logPage(read, { order, limit: toSkip + limit - logs.length, size: Infinity, after });
    const found = entries.slice(toSkip);
    toSkip -= entries.length - found.length;
    logs.push(...found.map(({ id, type, data, created_at, parent_id }) => ({ id, type, data, created_at, parent_id })));
    after = next ?? undefined;
  } while (after !== undefined && logs.length < limit);
  return logs;
}
