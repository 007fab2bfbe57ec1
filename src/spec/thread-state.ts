// ThreadState: the one interface through which tools, hooks and endpoints see a thread.

import type { ExecutionState } from "./execution-state.ts";
import type { GetMessagesOptions, InjectMessageInput, Message, MessagesResult, MessageUpdates } from "./message.ts";
import type {
  FileChunk,
  FileRecord,
  FileStats,
  FindResult,
  GrepResult,
  ReaddirResult,
  ReadFileStreamOptions,
  WriteFileOptions,
} from "./thread-file.ts";
import type { GetLogsOptions, Log } from "./thread-log.ts";
import type { ToolResult } from "./tool-result.ts";

/** Who a thread is; fixed at its creation (Standard Agents, threads). */
export interface ThreadMetadata {
  id: string;
  agent_id: string;
  user_id: string | null;
  /** Microseconds since the epoch. */
  created_at: number;
}

/** A thread, as tools, hooks and thread endpoints see it (Standard Agents, threads). */
export interface ThreadState {
  readonly threadId: string;
  readonly agentId: string;
  readonly userId: string | null;
  /** Microseconds since the epoch. */
  readonly createdAt: number;

  getMessages(options?: GetMessagesOptions): Promise<MessagesResult>;
  /** Null when there is none of this id. */
  getMessage(messageId: string): Promise<Message | null>;
  /** Adds a message to the history; starts no run. */
  injectMessage(message: InjectMessageInput): Promise<Message>;
  updateMessage(messageId: string, updates: MessageUpdates): Promise<Message>;
  getLogs(options?: GetLogsOptions): Promise<Log[]>;

  /** Rejects when no model has this name. */
  loadModel<T = unknown>(name: string): Promise<T>;
  /** Rejects when no prompt has this name. */
  loadPrompt<T = unknown>(name: string): Promise<T>;
  /** Rejects when no agent has this name. */
  loadAgent<T = unknown>(name: string): Promise<T>;
  getPromptNames(): string[];
  getAgentNames(): string[];
  getModelNames(): string[];

  /** Adds a call to the run in progress; at rest, starts a run with it. */
  queueTool(toolName: string, args: Record<string, unknown>): void;
  /** Runs a tool now and gives its result; writes a log, no message. */
  invokeTool(toolName: string, args: Record<string, unknown>): Promise<ToolResult>;
  /** Sends an event of your own to the thread's subscribers; `data` must be JSON. */
  emit(event: string, data: unknown): void;
  /** Values that live as long as one run; must be JSON. */
  context: Record<string, unknown>;

  writeFile(
    path: string,
    data: ArrayBuffer | string,
    mimeType: string,
    options?: WriteFileOptions,
  ): Promise<FileRecord>;
  /** Null when there is no such file. */
  readFile(path: string): Promise<ArrayBuffer | null>;
  /** One chunk in memory at a time; null when there is no such file or its bytes lie elsewhere. */
  readFileStream(path: string, options?: ReadFileStreamOptions): Promise<AsyncIterable<FileChunk> | null>;
  /** Null when there is no such file. */
  statFile(path: string): Promise<FileRecord | null>;
  readdirFile(path: string): Promise<ReaddirResult>;
  unlinkFile(path: string): Promise<void>;
  mkdirFile(path: string): Promise<FileRecord>;
  /** The folder must be empty. */
  rmdirFile(path: string): Promise<void>;
  getFileStats(): Promise<FileStats>;
  /** Lines matching a regular expression: of 1,000 files, 1,000 lines each and 10,000 in all, within 64 MiB of text at most. */
  grepFiles(pattern: string): Promise<GrepResult[]>;
  /** Paths matching a glob. */
  findFiles(pattern: string): Promise<FindResult>;
  /** Null when there is none. */
  getFileThumbnail(path: string): Promise<ArrayBuffer | null>;

  /** The run in progress; null at rest, as in endpoints. */
  execution: ExecutionState | null;
}
