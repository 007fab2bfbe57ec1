// Definitions of MCP servers (Model Context Protocol). The tools of such a server are tools of the project's prompts.

import type { ModelName } from "./register.ts";

/** The context that the functions of a definition receive. */
export interface McpContext {
  /** The variables and secrets of the deployment. */
  env: Readonly<Record<string, unknown>>;
  /** The owner of the thread. Null for a thread without an owner. */
  userId: string | null;
  /** Id of the thread; empty if the list of tools is requested outside of a thread. */
  threadId: string;
}

/** A call of a server's tool, as the rule for approvals receives it. */
export interface McpToolCall {
  /** The name of the tool on the server, without the prefix. */
  tool: string;
  args: Record<string, unknown>;
}

/** How a server may use a model (sampling). */
export interface McpSampling {
  /** The name of the project's model that writes the texts. */
  model: ModelName;
  /** The maximum number of tokens of a text. Default 1,000. */
  maxTokens?: number;
  /** The maximum number of texts in a run. Default 10. */
  maxRequests?: number;
}

/** How the deployment gets access to a server by OAuth 2.1. */
export interface McpOAuth {
  /** The client's id at the authorization server. Default: each authorization registers a client (RFC 7591). */
  clientId?: string;
  /** The client's secret. Use a function to read it: `({ env }) => String(env.DOCS_CLIENT_SECRET)`. It requires `clientId` and `issuer`. */
  clientSecret?: string | ((context: Pick<McpContext, "env">) => string);
  /**
   * The issuer of the authorization server, such as `https://login.example.com`. No other server is used, whatever the MCP server states.
   * Default: the authorization server that the MCP server names.
   */
  issuer?: string;
  /** The scopes that are requested. Default: those that the MCP server names. */
  scopes?: readonly string[];
  /** The name with which the client is registered. Authorization servers show it. Default `Threadhold`. */
  clientName?: string;
}

/** An MCP server that is reached over HTTP. A prompt lists its tools as `prefix__name`, or all of them as `prefix__*`. */
export interface McpServerDefinition<N extends string = string, P extends string = N> {
  name: N;
  /**
   * The address of the server's endpoint. A function reads it from a variable: `({ env }) => String(env.DOCS_MCP_URL)`. The address has to be
   * https and public, or its host has to be in `allowedHosts` or in the variable `ALLOWED_OUTBOUND_HOSTS`.
   */
  url: string | ((context: McpContext) => string);
  /** Headers of every request to the server. Use a function to read a secret: `({ env }) => ({ authorization: String(env.DOCS_TOKEN) })`. */
  headers?:
    | Readonly<Record<string, string>>
    | ((context: McpContext) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /**
   * Whether the server requires OAuth. Each user connects once, and a thread without a user has a connection of its own. The tokens are
   * encrypted with the variable `ENCRYPTION_KEY`. Default false.
   */
  oauth?: boolean | McpOAuth;
  /** The beginning of the names of the server's tools, before `__`. Default: the name of the definition. */
  prefix?: P;
  /** The names of the server's tools that prompts can list, without the prefix. Default: all. */
  tools?: readonly string[];
  /**
   * Whether the server's resources are reachable by the tools `prefix__list_resources` and `prefix__read_resource`. Default false. The
   * server has to offer resources.
   */
  resources?: boolean;
  /** Whether the server's prompts are reachable by the tools `prefix__list_prompts` and `prefix__get_prompt`. Default false. */
  prompts?: boolean;
  /**
   * The model that the server may use during a call. The usage counts to the run, whose limits apply. The server writes the prompts and
   * receives the texts. Default: the server may use no model.
   */
  sampling?: McpSampling;
  /**
   * Whether the server may ask a person questions during a call (elicitation). The thread shows them as pending calls. Default false: the
   * server may not. An interrupted call of such a server is never repeated, also with `trustAnnotations`.
   */
  elicitation?: boolean;
  /** The time in milliseconds that a call waits for answers, in addition to `timeoutMs`. Default 600,000; at most 3,600,000. */
  elicitationTimeoutMs?: number;
  /** The time limit in milliseconds of a call, and of the request for the list of tools. Default 60,000. */
  timeoutMs?: number;
  /**
   * The calls that a person has to approve: all, those of the tools with these names, or those for which the function does not return
   * false.
   */
  needsApproval?:
    | boolean
    | readonly string[]
    | ((call: McpToolCall, context: McpContext) => boolean | Promise<boolean>);
  /** Hosts in private networks that this server's address may have, in the notation of `ALLOWED_OUTBOUND_HOSTS`. */
  allowedHosts?: readonly string[];
  /**
   * Whether an interrupted call is repeated if the server describes its tool as read-only or idempotent: after a crash, and after the
   * server has ended the session. Set it only for a server that you trust. Default false: the call is reported to the model and not
   * repeated.
   */
  trustAnnotations?: boolean;
}

/** An MCP server with any name: the type of MCP servers in the registry. */
export type AnyMcpServerDefinition = McpServerDefinition<string, string>;

/** Declares an MCP server and returns the definition unchanged. */
export function defineMcpServer<N extends string, P extends string = N>(
  server: McpServerDefinition<N, P>,
): McpServerDefinition<N, P> {
  return server;
}
