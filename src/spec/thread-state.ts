// ThreadState: the interface through which tools, hooks and thread endpoints read and change a thread.

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
import type { ToolResult } from "./tool-result-parts.ts";

/** Identity of a thread, fixed at its creation (Standard Agents, threads). */
export interface ThreadMetadata {
  id: string;
  agent_id: string;
  user_id: string | null;
  /** Microseconds since the epoch. */
  created_at: number;
}

/** A thread, as tools, hooks and thread endpoints use it (Standard Agents, threads). */
export interface ThreadState {
  readonly threadId: string;
  readonly agentId: string;
  readonly userId: string | null;
  /** Microseconds since the epoch. */
  readonly createdAt: number;

  getMessages(options?: GetMessagesOptions): Promise<MessagesResult>;
  /** Resolves to null if there is no message with this id. */
  getMessage(messageId: string): Promise<Message | null>;
  /** Adds a message to the history without starting a run. */
  injectMessage(message: InjectMessageInput): Promise<Message>;
  updateMessage(messageId: string, updates: MessageUpdates): Promise<Message>;
  getLogs(options?: GetLogsOptions): Promise<Log[]>;

  /** Rejects if there is no model with this name. */
  loadModel<T = unknown>(name: string): Promise<T>;
  /** Rejects if there is no prompt with this name. */
  loadPrompt<T = unknown>(name: string): Promise<T>;
  /** Rejects if there is no agent with this name. */
  loadAgent<T = unknown>(name: string): Promise<T>;
  getPromptNames(): string[];
  getAgentNames(): string[];
  getModelNames(): string[];

  /** Adds a tool call to the current run; without one, starts a run with the call. */
  queueTool(toolName: string, args: Record<string, unknown>): void;
  /** Runs a tool now and returns its result, with its `value` as the tool returned it. Writes a log entry and no message. */
  invokeTool(toolName: string, args: Record<string, unknown>): Promise<ToolResult>;
  /** Sends a custom event to the thread's subscribers. `data` must be JSON. */
  emit(event: string, data: unknown): void;
  /** Values that are kept until the end of the run. They must be JSON. */
  context: Record<string, unknown>;

  writeFile(
    path: string,
    data: ArrayBuffer | string,
    mimeType: string,
    options?: WriteFileOptions,
  ): Promise<FileRecord>;
  /** Resolves to null if the file does not exist. */
  readFile(path: string): Promise<ArrayBuffer | null>;
  /** Reads one chunk at a time. Resolves to null if the file does not exist or its bytes are not stored in the thread. */
  readFileStream(path: string, options?: ReadFileStreamOptions): Promise<AsyncIterable<FileChunk> | null>;
  /** Resolves to null if the file does not exist. */
  statFile(path: string): Promise<FileRecord | null>;
  readdirFile(path: string): Promise<ReaddirResult>;
  unlinkFile(path: string): Promise<void>;
  mkdirFile(path: string): Promise<FileRecord>;
  /** Rejects if the folder is not empty. */
  rmdirFile(path: string): Promise<void>;
  getFileStats(): Promise<FileStats>;
  /**
   * Finds lines that match a regular expression. Bounds: 1,000 files, 1,000 lines of each file, 10,000 lines in all, and 64 MiB of
   * searched text.
   */
  grepFiles(pattern: string): Promise<GrepResult[]>;
  /** Finds paths that match a glob. */
  findFiles(pattern: string): Promise<FindResult>;
  /** Resolves to null if the file has no thumbnail. */
  getFileThumbnail(path: string): Promise<ArrayBuffer | null>;

  /** The current run; null if no run is active, as in endpoints. */
  execution: ExecutionState | null;
}
