// What the semantics need of a thread: its storage to read, and the few writes a definition may make. The thread's object
// implements it; tests use an in-memory one.

import type { Json, JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Ids } from "#core/ports/ids.ts";
import type { ThreadFiles } from "#core/ports/thread-files.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, ThreadRecord } from "#core/record.ts";
import type { ToolResult } from "#spec/index.ts";

/** Contract: writes are durable before anything told of them leaves the object. */
export interface ThreadAccess {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: Pick<ThreadStore, "message" | "messages" | "logs">;
  readonly files: ThreadFiles;
  thread(): ThreadRecord;
  /** Refuses what would call definitions once more where they have called each other too often already. */
  checkDepth(): void;
  /** Gives the message its place at the end, writes it, tells it. */
  append(message: MessageRecord): void;
  /** Writes a changed message and tells the change. */
  replace(message: MessageRecord): void;
  /** Tells an event of the project's own. */
  emit(name: string, data: Json): void;
  /** Has a call made by the run under way, or by one that begins now. Refuses a name that cannot be called. */
  queueTool(name: string, args: JsonObject): void;
  /** Runs a tool's function now. Writes a log, no message. */
  invokeTool(name: string, args: JsonObject): Promise<ToolResult>;
}
