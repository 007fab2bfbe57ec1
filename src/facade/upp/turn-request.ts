// The options and messages of one turn, with every default filled in.

import type { JsonObject } from "#contract/json.ts";
import type { ThreadState } from "#spec/index.ts";

import type { ModelReference, ProviderConfig } from "./model-reference.ts";
import type { AnyMessage } from "./upp-message.ts";
import type { JSONSchema, RunTool, Tool, ToolUseStrategy } from "./upp-tool.ts";

/** The options and messages of one turn. */
export interface TurnRequest {
  model: ModelReference;
  config: ProviderConfig;
  /** Fields that are merged into the body of each model request, in the form of the provider's API. */
  params: JsonObject | undefined;
  /** Empty: no system prompt. */
  system: string;
  tools: readonly Tool[];
  toolStrategy: ToolUseStrategy;
  /** Whether the model may order the calls of an answer. */
  modelOrder: boolean;
  /** Runs a tool. Default: `tool.run(params, context)`. */
  runTool?: RunTool | undefined;
  /** The maximum number of rounds of calls. */
  maxIterations: number;
  structure: JSONSchema | undefined;
  /** The `state` that a tool of a thread received, for a turn in a call of this tool. */
  in?: ThreadState | undefined;
  /** The name of the turn in the thread's events. Default: the id of the model. */
  name?: string | undefined;
  history: readonly AnyMessage[];
  /** The new messages. They are the first messages of the turn. */
  input: readonly AnyMessage[];
}
