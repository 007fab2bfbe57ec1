// The shape of a row of the route table.

import type { z } from "zod";

/** Groups of the built-in routes. The routes of a dialect are a group of their own. */
export type RouteTag = "threads" | "messages" | "runs" | "logs" | "files" | "events" | "definitions" | "service";

/** One built-in route. */
export interface BuiltInRoute<Tag extends string = RouteTag> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root, dynamic segments as `:name`, the rest as `*name?`. Everything under `/api/` is served under `/api/~/` too. */
  path: string;
  summary: string;
  tag: Tag;
  /** `public` asks for no credentials, `admin` for an administrator's. */
  access: "public" | "user" | "admin";
  query?: z.ZodType;
  body?: z.ZodType;
  /** The body may be left out and is then `{}`. */
  bodyOptional?: boolean;
  /** Bytes a body may have. */
  bodyLimit?: number;
  /** JSON is taken as `text/plain` too: what a fetch without headers sends. Safe where no cookie lets anybody in. */
  plainBody?: boolean;
  /** Bytes in place of JSON: as the body, or as the answer with status 200. */
  raw?: "request" | "answer";
  /** Media type of those bytes, where it is always the same. */
  rawType?: string;
  /** Headers that change what it does, for the document. */
  requestHeaders?: readonly string[];
  /** Takes `Idempotency-Key`. */
  keyed?: boolean;
  /** Success answers by status; null for an answer without a body. */
  answers: Readonly<Record<number, z.ZodType | null>>;
  /** Answers with events: over SSE, over a WebSocket, over SSE or an upgrade's WebSocket, or over SSE when `Accept` asks for it. */
  stream?: "events" | "socket" | "either" | "negotiated";
}

/** The routes of a dialect, as a group of the OpenAPI document. */
export interface RouteGroup {
  /** The tag of its routes. */
  name: string;
  description: string;
  routes: Readonly<Record<string, BuiltInRoute<string>>>;
  /** Shapes that the document shows by name, in addition to the bodies and answers of the routes. */
  schemas?: Readonly<Record<string, z.ZodType>>;
}
