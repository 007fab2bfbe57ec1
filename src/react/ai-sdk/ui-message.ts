// Types of the messages that a chat of AI SDK UI has on a thread: the data parts of the server and of the project.

import type { UIMessage, UITools } from "ai";

import type { CustomEvents, Json, PendingCall } from "#client/index.ts";

/** Events that the project declares with `Register`, by name; none for a project that declares none. */
type DeclaredEvents = string extends keyof CustomEvents ? Record<never, never> : CustomEvents;

/** Data parts of the server: a part `data-<name>` has the data of `name`. */
export interface ThreadholdDataParts {
  /** A partial answer that the server retracted. A reload no longer shows it. */
  retracted: { messageId: string };
  /** The error of a run that failed. */
  error: { message: string };
  /** A call of a child thread, or a limit, that a client has to answer. */
  "pending-call": { id: string; name: string; kind: PendingCall["kind"]; input: Json };
  /** A message of the user that joined the run while its answer streams. Only resumed streams have this part; no message contains it. */
  "user-message": UIMessage;
  /** Another agent continues the conversation. */
  handoff: { from: string; to: string };
}

/** A message of a chat on a thread. `EVENTS` are the data of custom events by name, `TOOLS` the inputs and outputs of tools. */
export type ThreadholdUIMessage<EVENTS extends object = DeclaredEvents, TOOLS extends UITools = UITools> = UIMessage<
  unknown,
  { [N in keyof (ThreadholdDataParts & EVENTS)]: (ThreadholdDataParts & EVENTS)[N] },
  TOOLS
>;
