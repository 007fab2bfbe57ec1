// The routes of authorizations of MCP servers, as rows of the one route table. A person connects to a server in a thread by an
// authorization flow (OAuth 2.1). The authorization server of the flow redirects the person's browser to the callback.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";

/** Whether the thread's owner has connected to the server, as far as it is known without a request to the server. */
const authorizationSchema = z.object({ server: z.string(), status: z.enum(["authorized", "required"]) });

/** Response of the route that begins an authorization flow: the address to open in the same browser. */
const flowSchema = z.object({
  authorization_url: z.url(),
  /** Microseconds since epoch. The person has to return before this time. */
  expires_at: z.number().int(),
});

/** The beginning of the paths to which authorization servers return a person. */
export const callbackPath = "/api/mcp/callback";

const path = "/api/threads/:id/mcp/:server/authorization";

export const authorizationRoutes = {
  getAuthorization: {
    method: "GET",
    path,
    summary: "Whether the thread's owner has connected to an MCP server",
    tag: "definitions",
    access: "user",
    answers: { 200: authorizationSchema },
  },
  beginAuthorization: {
    method: "POST",
    path,
    summary:
      "Begins to connect to an MCP server: returns the address of its authorization server; sets a cookie for the callback",
    tag: "definitions",
    access: "user",
    ownPages: true,
    answers: { 200: flowSchema },
  },
  deleteAuthorization: {
    method: "DELETE",
    path,
    summary: "Disconnects from an MCP server: deletes the tokens, and revokes them at the server if it can",
    tag: "definitions",
    access: "user",
    ownPages: true,
    answers: { 204: null },
  },
  completeAuthorization: {
    method: "GET",
    path: `${callbackPath}/:server`,
    summary: "Where authorization servers return a person: stores the tokens, and answers with a page",
    tag: "definitions",
    access: "public",
    anyQuery: true,
    raw: "answer",
    rawType: "text/html",
    answers: { 200: null },
  },
} as const satisfies Record<string, BuiltInRoute>;
