// What a test scripts besides the answers of models: the tools of MCP servers and OpenAPI documents, and responses to requests.

import type { Json, JsonObject } from "#contract/json.ts";
import type { ToolResult } from "#spec/index.ts";

/** The result of a scripted tool: a text, a JSON value, or a result with a status. */
export type SourceToolResult = Json | ToolResult;

/** Computes the result of a scripted tool from the arguments of a call. If it throws, the call has an error as its result. */
export type SourceToolFunction = { call(args: JsonObject): SourceToolResult | Promise<SourceToolResult> }["call"];

/** What a scripted tool is offered with. */
export interface SourceToolOptions {
  /** The description that the model reads. Default: that of the OpenAPI document if it is part of the project, otherwise empty. */
  description?: string;
  /** JSON Schema of the arguments. Default: that of the OpenAPI document if it is part of the project, otherwise any object. */
  parameters?: JsonObject;
  /** Whether a person has to approve each call. Default: as the definition states. */
  needsApproval?: boolean;
}

/** A scripted tool with options. `sourceTool` creates it. */
export class SourceTool {
  readonly options: SourceToolOptions;
  readonly result: SourceToolResult | SourceToolFunction;

  constructor(options: SourceToolOptions, result: SourceToolResult | SourceToolFunction) {
    this.options = options;
    this.result = result;
  }
}

/** A scripted tool with a description, a schema of its arguments or an approval. */
export function sourceTool(options: SourceToolOptions, result: SourceToolResult | SourceToolFunction): SourceTool {
  return new SourceTool(options, result);
}

/** The tools of an MCP server or an OpenAPI document, by their names without the prefix: results, or functions of the arguments. */
export type SourceTools = Readonly<Record<string, SourceToolResult | SourceToolFunction | SourceTool>>;

/** Scripted tools by the name of the definition in `agents/mcp/` or `agents/openapi/`. */
export type Sources = Readonly<Record<string, SourceTools>>;

/** Answers a request that code under test sends by `fetch`. Undefined: the request has no answer, which fails the turn. */
export type ScriptedFetch = (request: Request) => Response | undefined | Promise<Response | undefined>;
