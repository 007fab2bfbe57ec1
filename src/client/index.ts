// The public entry `threadhold/client`.

export { ThreadholdClientError, ThreadholdNetworkError } from "./client-error.ts";
export type { ClientErrorCode } from "./client-error.ts";
export type { CustomEventName, CustomEvents } from "./custom-event.ts";
export { toDate } from "./dates.ts";
export type { DefinitionList, Definitions } from "./definitions.ts";
export type {
  DownloadOptions,
  FileRecord,
  Files,
  GlobAnswer,
  GrepAnswer,
  SearchOptions,
  UploadOptions,
  WriteCondition,
  WrittenFile,
} from "./files.ts";
export type { Carrier, Connection } from "./follow/connection.ts";
export type { OpenCall } from "./follow/open-calls.ts";
export { ThreadList } from "./lists/thread-list.ts";
export type { ThreadListOptions, ThreadListView } from "./lists/thread-list.ts";
export type { Page, Pages } from "./paged-list.ts";
export type { Presence, PresenceChange } from "./presence.ts";
export type { KeyedOptions, RequestOptions, RouteRequest } from "./send-request.ts";
export type { RouteAnswer, RouteKey } from "./route-type.ts";
export { Sending } from "./sending.ts";
export type { RunWith, SendingOptions } from "./sending.ts";
export type { ClientFetch, ClientOptions, ClientSocket, RequestBody, SocketConstructor, Token } from "./settings.ts";
export { ThreadHandle } from "./thread-handle.ts";
export type { BranchOptions, ContinueOptions, EventsOptions, SendOptions } from "./thread-handle.ts";
export { ThreadholdClient } from "./threadhold-client.ts";
export type { UsageFilter } from "./threadhold-client.ts";
export type {
  Admitted,
  Branches,
  Logs,
  MessageSearch,
  Messages,
  MessagesPage,
  NewMessage,
  PostOptions,
  Queue,
  Runs,
} from "./thread-lists.ts";
export type { ImportOptions, NewThread, ThreadChange, ThreadFilter, ThreadSearch, Threads } from "./threads.ts";
export type { AnswerOptions, ApproveOptions, ToolResult, ToolResults } from "./call-results.ts";
export type { ClientCall, ClientTool, ClientTools, ClientToolsOptions } from "./tools/tool-desk.ts";
export type { ProgressListener, UploadProgress } from "./upload.ts";

export { emptyView, fold, foldAll } from "#contract/fold.ts";
export type { MessageView, RunView, ThreadView, ToolView } from "#contract/fold.ts";
export type { AwaitedCall, EventOf, EventType, ThreadEvent } from "#contract/event.ts";
export type { ErrorCode } from "#contract/error.ts";
export type { Json, JsonObject } from "#contract/json.ts";
export type { Branch, CheckedOut } from "#contract/branch-route.ts";
export type { Log } from "#contract/log-entry.ts";
export type { Message } from "#contract/thread-message.ts";
export type { ThreadContext } from "#contract/context-route.ts";
export type { QueuedInput } from "#contract/queue-route.ts";
export type { Run, RunError, RunStatus } from "#contract/run.ts";
export type { PendingCall, Thread, ThreadStatus } from "#contract/thread.ts";
export type { PostedResult, ToolResultsTaken } from "#contract/tool-route.ts";
export { addCost, addUsage, zeroUsage } from "#contract/usage.ts";
export type { Usage } from "#contract/usage.ts";
export type { UsageDimension, UsageLine, UsageReport } from "#contract/usage-route.ts";
export type { Timers } from "#lib/timers.ts";
