// Events that a project's own code tells with `state.emit`, typed where the project says what they carry:
//
//     declare module "threadhold" { interface Register { events: { "order.placed": { id: string } } } }

import type { Register } from "threadhold";

import type { Json } from "#contract/json.ts";

/** What each custom event carries, by its name. */
export type CustomEvents = Register extends { readonly events: infer E extends object } ? E : Record<string, Json>;

/** Name of a custom event. */
export type CustomEventName = Extract<keyof CustomEvents, string>;
