// Tools of an agent: the interface that a program implements, the context of a call, its result, and the errors that a tool throws
// (REQ-009, 010, 021).

import type { Json, JsonObject } from "#contract/json.ts";
import { fieldsOf } from "#lib/json-value.ts";

import type { CancellationToken } from "./cancellation-token.ts";
import { LoopError } from "./loop-error.ts";
import type { Content } from "./loop-messages.ts";
import { checkNames } from "./provider/config-field.ts";

/** The result of a tool (architecture §4, ToolResult). */
export interface ToolResult {
  content: Content[];
  /** Data for the program, which no model reads. */
  details: Json;
  /** The loop that the tool ran; null for a tool that ran none. */
  child_loop_id?: string | null;
}

/** The context of a call. */
export interface ToolContext {
  tool_call_id: string;
  tool_name: string;
  /** The loop that runs the call. */
  loop_id: string;
  /** Cancelled when the loop is. */
  cancel: CancellationToken;
  /** Shows a partial result: a `ToolExecutionUpdate` event. */
  on_update: (partial: ToolResult) => void;
  /** Shows a line of progress: a `ProgressMessage` event. */
  on_progress: (text: string) => void;
  /**
   * Names the loop that the call began. If the call fails or is cancelled, its `ToolExecutionEnd` has this id. A result names its loop itself.
   */
  on_child_loop?: (loop_id: string) => void;
}

/** A tool. */
export interface AgentTool {
  /** The name by which models call it. */
  name(): string;
  /** The name that people read. */
  label(): string;
  description(): string;
  /** JSON Schema of an object. */
  parametersSchema(): JsonObject;
  /** If it returns true, a call of the tool never runs at the same time as another call of the same answer. */
  isSequential?(): boolean;
  /**
   * Runs the call. `params` is the object that the model wrote; it is not checked against the schema. A thrown ToolError, or any other
   * error, becomes an error result that the model reads.
   */
  execute(params: JsonObject, ctx: ToolContext): Promise<ToolResult> | ToolResult;
}

/** Why a tool failed. */
export type ToolErrorKind = "Failed" | "NotFound" | "InvalidArgs" | "Cancelled";

/** An error of a tool (REQ-010, 078 to 080). */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly kind: ToolErrorKind;

  private constructor(kind: ToolErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }

  static failed(message: string): ToolError {
    return new ToolError("Failed", message);
  }

  static notFound(name: string): ToolError {
    return new ToolError("NotFound", `Tool ${name} not found`);
  }

  static invalidArgs(message: string): ToolError {
    return new ToolError("InvalidArgs", message);
  }

  static cancelled(): ToolError {
    return new ToolError("Cancelled", "Cancelled.");
  }
}

/** A result of one text. */
export function textResult(text: string, details: Json = null): ToolResult {
  return { content: [{ type: "text", text }], details };
}

/** A tool made of a function. */
export interface ToolOptions {
  name: string;
  /** Default: the name. */
  label?: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: JsonObject;
  /** Returns a result, or a text, which becomes the result's only block. */
  execute: (params: JsonObject, ctx: ToolContext) => Promise<ToolResult | string> | ToolResult | string;
}

/** Creates a tool of a function. Throws a LoopError for an unknown option, and without the function. */
export function createTool(options: ToolOptions): AgentTool {
  checkNames("tool", fieldsOf(options), ["name", "label", "description", "parameters", "execute"]);
  const { name, label = name, description, parameters, execute } = fieldsOf(options) as unknown as ToolOptions;
  if (typeof execute !== "function")
    throw new LoopError(`The tool "${String(name)}" has no function \`execute\`, which runs its calls.`);
  return {
    name: () => name,
    label: () => label,
    description: () => description,
    parametersSchema: () => parameters,
    async execute(params, ctx) {
      const returned = await execute(params, ctx);
      return typeof returned === "string" ? textResult(returned) : returned;
    },
  };
}
