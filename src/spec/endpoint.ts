// Endpoints of a project's own: controllers under `agents/api/`, and thread endpoints, which are controllers that
// carry a handler for the runtime to call with the thread's state.

import type { ThreadState } from "./thread-state.ts";

/** Loads one definition (Standard Agents, endpoints). */
export type VirtualModuleLoader<T> = () => Promise<T>;

/** Definitions by name, loaded when asked for (Standard Agents, endpoints). */
export type VirtualModuleRegistry<T> = Record<string, VirtualModuleLoader<T>>;

/** Who calls an endpoint. An administrator's token may stand for no user. */
export interface ControllerUser {
  id: string | null;
  role: "user" | "admin";
}

/** What a controller gets (Standard Agents, endpoints). `user` is ours. */
export interface ControllerContext {
  req: Request;
  /** Values of the route's dynamic segments. */
  params: Record<string, string>;
  url: URL;
  /** The Worker's bindings. */
  env: Record<string, unknown>;
  agents?: VirtualModuleRegistry<unknown>;
  agentNames?: string[];
  prompts?: VirtualModuleRegistry<unknown>;
  promptNames?: string[];
  models?: VirtualModuleRegistry<unknown>;
  modelNames?: string[];
  tools?: VirtualModuleRegistry<unknown>;
  hooks?: VirtualModuleRegistry<unknown>;
  config?: Record<string, unknown>;
  /** Absent on public routes called without a token. */
  user?: ControllerUser;
}

/**
 * What a controller may return (Standard Agents, endpoints): text, an object as JSON, a stream, a Response as it is,
 * nothing for 204.
 */
export type ControllerReturn =
  | string
  | Promise<string>
  | Response
  | Promise<Response>
  | ReadableStream
  | Promise<ReadableStream>
  | null
  | Promise<null>
  | void
  | Promise<void>
  | Promise<object>
  | object;

/** Answers a request (Standard Agents, endpoints). */
export type Controller = (context: ControllerContext) => ControllerReturn;

/** Answers a request about a thread (Standard Agents, endpoints). */
export type ThreadEndpointHandler = (req: Request, state: ThreadState) => Response | Promise<Response>;

/** Who may call a route: `export const access = "public"` beside the default export. Default `user`. */
export type RouteAccess = "public" | "user" | "admin";

const handlerTag = Symbol.for("threadhold.thread-endpoint");

/** Declares a controller; returns what it is given (Standard Agents, `defineController`). */
export function defineController(controller: Controller): Controller {
  return controller;
}

/**
 * Declares an endpoint of a thread (Standard Agents, `defineThreadEndpoint`). The thread's id is the route's first
 * dynamic segment. The runtime takes the handler out and calls it with the state; called as a plain controller,
 * without a thread, it throws.
 */
export function defineThreadEndpoint(handler: ThreadEndpointHandler): Controller {
  const controller: Controller = () => {
    throw new Error(
      "A thread endpoint needs its thread: it is served from agents/api by the runtime, not called by itself.",
    );
  };
  return Object.defineProperty(controller, handlerTag, { value: handler });
}

/** The handler of a thread endpoint; undefined for a plain controller. */
export function threadEndpointHandler(controller: unknown): ThreadEndpointHandler | undefined {
  if (typeof controller !== "function") return undefined;
  const handler: unknown = Reflect.get(controller, handlerTag);
  return typeof handler === "function" ? (handler as ThreadEndpointHandler) : undefined;
}
