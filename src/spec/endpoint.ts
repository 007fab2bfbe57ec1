// Endpoints that a project defines in `agents/api/`: controllers, and thread endpoints. A thread endpoint is a controller with a handler
// as a property; the runtime calls the handler with the state of a thread.

import type { ThreadState } from "./thread-state.ts";

/** Loads one definition (Standard Agents, endpoints). */
export type VirtualModuleLoader<T> = () => Promise<T>;

/** Loaders of definitions by name (Standard Agents, endpoints). */
export type VirtualModuleRegistry<T> = Record<string, VirtualModuleLoader<T>>;

/** The caller of an endpoint. `id` is null for an administrator's token that belongs to no user. */
export interface ControllerUser {
  id: string | null;
  role: "user" | "admin";
}

/** The argument of a controller (Standard Agents, endpoints). `user` is an addition. */
export interface ControllerContext {
  req: Request;
  /** Values of the route's dynamic segments. */
  params: Record<string, string>;
  url: URL;
  /** The bindings of the Worker. */
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
  /** The caller; absent on public routes that are called without a token. */
  user?: ControllerUser;
}

/**
 * Return values of a controller (Standard Agents, endpoints): text, an object (sent as JSON), a stream, a Response, or nothing
 * (sent as status 204).
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

/** Handles a request (Standard Agents, endpoints). */
export type Controller = (context: ControllerContext) => ControllerReturn;

/** Handles a request to a thread (Standard Agents, endpoints). */
export type ThreadEndpointHandler = (req: Request, state: ThreadState) => Response | Promise<Response>;

/** Who may call a route. A route file exports it as `export const access = "public"`. Default `user`. */
export type RouteAccess = "public" | "user" | "admin";

const handlerTag = Symbol.for("threadhold.thread-endpoint");

/** Declares a controller and returns it unchanged (Standard Agents, `defineController`). */
export function defineController(controller: Controller): Controller {
  return controller;
}

/**
 * Declares an endpoint of a thread (Standard Agents, `defineThreadEndpoint`). The first dynamic segment of the route is the
 * thread's id. The runtime reads the handler from the returned controller and calls it with the thread's state; the controller
 * itself throws.
 */
export function defineThreadEndpoint(handler: ThreadEndpointHandler): Controller {
  const controller: Controller = () => {
    throw new Error(
      "A thread endpoint cannot be called directly, because it needs a thread; put it into agents/api and request its route.",
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
