// The port through which this layer uses a thread: it reads the thread's storage and makes the few writes that definitions may make.
// The thread's object implements it, and tests have one in memory.

import type { Json, JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Ids } from "#core/ports/ids.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, ThreadRecord } from "#core/record/record.ts";
import type { ToolResult, WorkerEnv } from "#spec/index.ts";

/** Contract: a write is durable before an event about it leaves the object. */
export interface ThreadAccess {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: Pick<ThreadStore, "message" | "messages" | "logs">;
  readonly files: ThreadFiles;
  readonly outbound: OutboundFetch;
  /** The bindings, variables and secrets of the Worker, by name. */
  readonly env: WorkerEnv;
  thread(): ThreadRecord;
  /** Throws if calls of definitions by definitions are already nested too deeply. */
  checkDepth(): void;
  /** Gives the message the next position, stores it and emits its event. */
  append(message: MessageRecord): void;
  /** Stores a changed message and emits its event. */
  replace(message: MessageRecord): void;
  /** Emits an event that the project defines. */
  emit(name: string, data: Json): void;
  /** Queues a tool call for the current run; without one, a run begins for it. Throws for a name that cannot be called. */
  queueTool(name: string, args: JsonObject): void;
  /** Executes a tool's function now. Writes a log row and no message. */
  invokeTool(name: string, args: JsonObject): Promise<ToolResult & { value?: unknown }>;
}
