// The shape of a row of the route table.

import type { z } from "zod";

/** Groups of the built-in routes. The routes of a dialect are a group of their own. */
export type RouteTag =
  | "threads"
  | "messages"
  | "runs"
  | "branches"
  | "logs"
  | "files"
  | "events"
  | "definitions"
  | "service";

/** One built-in route. */
export interface BuiltInRoute<Tag extends string = RouteTag> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root, dynamic segments as `:name`, the rest as `*name?`. Everything under `/api/` is served under `/api/~/` too. */
  path: string;
  summary: string;
  tag: Tag;
  /** `public` needs no credentials; `admin` needs those of an administrator. */
  access: "public" | "user" | "admin";
  /** Whether requests of pages of other origins are refused, also with valid credentials, unless ALLOWED_ORIGINS lists the origin. */
  ownPages?: true;
  query?: z.ZodType;
  /** Whether the query is not checked, because another server writes the address. The handler reads the query. */
  anyQuery?: true;
  body?: z.ZodType;
  /** Whether the body may be absent. An absent body is read as `{}`. */
  bodyOptional?: boolean;
  /** Maximal bytes of the body. */
  bodyLimit?: number;
  /**
   * Whether JSON with the type `text/plain` is accepted, which fetch sends if the caller sets no headers. Only safe for a route that no
   * cookie authenticates.
   */
  plainBody?: boolean;
  /**
   * Whether the handler checks the texts, numbers and keys of a body (`http/input/parse-json.ts`), and not the route. For bodies with the
   * answer to a call: if it has a wrong value, the call gets an error result.
   */
  uncheckedBody?: (body: unknown) => boolean;
  /** Bytes in place of JSON: as the body of the request, or as the response with status 200 or 206. */
  raw?: "request" | "answer";
  /** Media type of the bytes of `raw`, if it is always the same. */
  rawType?: string;
  /** Request headers that change the response, for the OpenAPI document. */
  requestHeaders?: readonly string[];
  /** Whether the route accepts `Idempotency-Key`. */
  keyed?: boolean;
  /** Schemas of successful responses by status; null for a response without a body. */
  answers: Readonly<Record<number, z.ZodType | null>>;
  /** How events are sent: over SSE, over a WebSocket, over either of them, or over SSE if `Accept` names it. */
  stream?: "events" | "socket" | "either" | "negotiated";
}

/** The routes of a dialect, as a group of the OpenAPI document. */
export interface RouteGroup {
  /** The tag of its routes. */
  name: string;
  description: string;
  routes: Readonly<Record<string, BuiltInRoute<string>>>;
  /** Schemas that the document names, in addition to those of bodies and responses. */
  schemas?: Readonly<Record<string, z.ZodType>>;
}
