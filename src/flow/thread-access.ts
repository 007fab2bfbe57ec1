// What the semantics need of a thread: its storage to read, and the few writes a definition may make. The thread's object
// implements it; tests use an in-memory one.

import type { Json, JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Ids } from "#core/ports/ids.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, ThreadRecord } from "#core/record.ts";
import type { ToolResult } from "#spec/index.ts";

/** Contract: writes are durable before anything told of them leaves the object. */
export interface ThreadAccess {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: Pick<ThreadStore, "message" | "messages" | "logs">;
  thread(): ThreadRecord;
  /** Gives the message its place at the end, writes it, tells it. */
  append(message: MessageRecord): void;
  /** Writes a changed message and tells the change. */
  replace(message: MessageRecord): void;
  /** Tells an event of the project's own. */
  emit(name: string, data: Json): void;
  queueTool(name: string, args: JsonObject): void;
  invokeTool(name: string, args: JsonObject): Promise<ToolResult>;
}
