// The shape of a row of the route table.

import type { z } from "zod";

/** One built-in route. */
export interface BuiltInRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root, dynamic segments as `:name`, the rest as `*name?`. Everything under `/api/` is served under `/api/~/` too. */
  path: string;
  summary: string;
  tag: "threads" | "messages" | "runs" | "logs" | "files" | "events" | "definitions" | "service";
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
