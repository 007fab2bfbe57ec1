// Types of the custom events that a project emits with `state.emit`. A project declares the data of each event by name:
//
//     declare module "threadhold" { interface Register { events: { "order.placed": { id: string } } } }

import type { Json } from "#contract/json.ts";

import type { Register } from "./registered.ts";

/** Data types of the custom events by event name; any JSON for a project that declares none. */
export type CustomEvents = Register extends { readonly events: infer E extends object } ? E : Record<string, Json>;

/** Name of a custom event. */
export type CustomEventName = Extract<keyof CustomEvents, string>;
