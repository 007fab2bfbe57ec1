// The port of definitions that have many tools, such as MCP servers. `src/tools/` implements it in one module for each kind of definition,
// which the registry loads when a thread uses a tool of that kind. `flow/tool-source/defined-tools.ts` makes runners of the tools.

import type { Json, JsonObject } from "#contract/json.ts";
import type { Log } from "#lib/log-port.ts";
import type { ToolCall } from "#spec/index.ts";

import type { ToolAnswer } from "../record/awaited.ts";
import type { AuthorizationModule, Authorizations } from "./authorization-port.ts";
import type { Clock } from "./clock.ts";
import type { OutboundFetch } from "./outbound-fetch.ts";
import type { Question, QuestionAnswer } from "./question-port.ts";
import type { ThreadFiles } from "./thread-file-port.ts";

/** Checks a value against a JSON Schema. Returns what is wrong with the value; null if it is valid. */
type SchemaCheck = (value: Json) => string | null;

/** The dependencies of a definition's tools: their thread, the deployment and its ports. */
export interface ToolsContext {
  /** The guarded fetch, which refuses hosts in private networks. Sends the requests to addresses of the definition. */
  fetch: OutboundFetch;
  clock: Clock;
  /** The deployment's variables and secrets. */
  env: Readonly<Record<string, unknown>>;
  log: Log;
  /** The files of the thread. */
  files: Pick<ThreadFiles, "read" | "stat">;
  /** Empty if the tools are listed outside of a thread. */
  threadId: string;
  /** The owner of the thread. */
  userId: string | null;
  /** Changes whenever a definition of the project changes, so that results kept in memory are not used with another definition. */
  hash: string;
  /** Aborted when the run ends or is stopped. Absent outside of a run. */
  signal?: AbortSignal | undefined;
  /**
   * Returns the number of texts that the calls of the definition requested in the run, also in its executions before a wait or a crash.
   * Absent outside of a run.
   */
  requestedTexts?: (() => number) | undefined;
  /** Whether `tools()` requests the list although it is in memory. Set for a person who asks for the current list. */
  isFresh?: boolean;
  /** The authorizations of the thread's owner. Absent if the tools are listed for a person without a user id. */
  authorizations?: Authorizations | undefined;
  /** Reads an untrusted JSON Schema. `problem` is the reason why the schema cannot be used. */
  readSchema(schema: JsonObject): SchemaCheck | { problem: string };
  /** The reason why arguments do not fit the whole schema, of which `parameters` are a part; null for arguments that fit. */
  checkArguments(parameters: JsonObject, args: JsonObject, whole: () => JsonObject): string | null;
}

/** A request for a text from a model of the project. */
export interface TextRequest {
  /** The name of the model. */
  model: string;
  system: string;
  messages: readonly { role: "user" | "assistant"; text: string }[];
  maxTokens: number;
  /** Null: the model's own value. */
  temperature: number | null;
}

/** The text, and the model that wrote it. */
export interface TextAnswer {
  text: string;
  model: string;
}

/** The call that a definition's tool receives. */
export interface DefinedCall extends ToolCall {
  /** Requests a text within the limits of the run. Absent for a call outside of a run. */
  readonly requestText?: (request: TextRequest) => Promise<TextAnswer>;
  /**
   * Asks a person a question. The signal withdraws the question, in addition to the end of the call. Absent for a call outside of a run.
   */
  readonly ask?: (question: Question, signal: AbortSignal) => Promise<QuestionAnswer>;
}

/** A tool of a definition. Description and schema may come from outside; their sizes are bounded. */
export interface DefinedTool {
  /** The name with which a model calls the tool. It begins with the definition's prefix. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. A tool whose schema cannot be used is not offered. */
  readonly parameters: JsonObject;
  /** Returns the schema by which the arguments of a call are checked. Absent: `parameters`. */
  readonly wholeParameters?: () => JsonObject;
  /** Whether an interrupted call may run again. */
  readonly idempotent: boolean;
  /** Whether a call on a new branch runs again although an equal call of another branch is settled. Absent: no. */
  readonly repeatable?: boolean | ((args: JsonObject) => boolean);
  readonly timeoutMs: number;
  /** Whether a person has to approve a call before it runs. Absent: never. */
  readonly needsApproval?: (args: JsonObject) => boolean | Promise<boolean>;
  /** Runs a call. The arguments match the schema. An exception becomes an error result. */
  call(args: JsonObject, call: DefinedCall): Promise<ToolAnswer>;
}

/** The facts of the server or the API of a definition. Null: unknown. */
export interface SourceFacts {
  /** The host to which requests are sent, and its port. */
  host: string | null;
  /** The version that the server or the document states, as bounded text. */
  version: string | null;
  /** Tools of the last requested list that are not offered, with the reasons. Names and reasons are bounded texts. Absent: none. */
  omitted?: readonly { name: string; problem: string }[];
  /** Whether the owner has given the authorization that the definition needs. Absent: it needs none, or this is unknown. */
  authorization?: "authorized" | "required";
}

/** The tools of one definition in one thread. An object of this type serves one run. */
export interface DefinedTools {
  /**
   * Returns the tools, in a fixed order, without duplicate names. Contract: ends within a time limit; rejects if the tools cannot be
   * listed.
   */
  tools(): Promise<readonly DefinedTool[]>;
  /**
   * Returns a tool that a prompt may list by its name although it is not in the list; null if there is none. Contract: ends within a time
   * limit.
   */
  tool?(name: string): Promise<DefinedTool | null>;
  /** The facts that are known after the last request for the list, whether the request succeeded or failed. */
  facts(): SourceFacts;
  /** Closes connections. Contract: ends within a time limit and never rejects. The caller calls no method afterwards. */
  close(): Promise<void>;
}

/** The module of a kind of definitions. */
export interface DefinedToolsModule {
  /** Contract: sends no request. */
  openTools(definition: unknown, context: ToolsContext): DefinedTools;
  /** Absent if definitions of this kind need no authorizations. */
  authorization?: AuthorizationModule;
}
