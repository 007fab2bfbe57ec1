// Tools of programs: for `llm()` of `threadhold/upp`, `agent()` of `threadhold/agents`, and, with `convertTool`, loops of `threadhold/loop`. They
// are made of the tools that threads use.

import type { JsonObject } from "#contract/json.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { readTool } from "#spec/index.ts";
import type { AnyToolDefinition, ThreadState } from "#spec/index.ts";

/** A tool for `llm()` and `agent()`. `convertTool` of `threadhold/loop` makes a tool of a loop of it. */
export interface ProgramTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: { readonly type: "object"; readonly [keyword: string]: unknown };
  /** If true, a call of the tool never runs at the same time as another call of the same answer. */
  readonly sequential?: boolean;
  /** Runs a call. Returns a text, or `{ content }` with text, image and document blocks. Rejects with an error whose message the model reads. */
  run(
    params: Record<string, unknown>,
    context: { readonly toolCallId: string; readonly signal: AbortSignal },
  ): Promise<unknown>;
}

/** The parts of a result that the conversion uses. */
interface ReturnedResult {
  status: "success" | "error";
  result?: string | undefined;
  error?: string | undefined;
  content?: readonly unknown[] | undefined;
  value?: unknown;
}

/** Converts a tool that needs nothing of the thread. */
export function programTool(name: string, definition: AnyToolDefinition): ProgramTool {
  const { description, schema, run, options } = readTool(definition);
  return {
    name,
    description,
    parameters: argumentsJsonSchema(schema) as ProgramTool["parameters"],
    ...(options.sequential === true ? { sequential: true } : {}),
    async run(params, { toolCallId, signal }) {
      const checked = checkArguments(schema, params as JsonObject);
      if (!checked.ok) throw new Error(`The arguments are invalid: ${checked.problem}`);
      const call = { id: toolCallId, attempt: 1, signal, progress: () => {} };
      // The options `workspace` and `run` of these tools replace the thread's files, so the state is not used.
      return programResult(await (run?.({} as ThreadState, checked.args, call) as Promise<ReturnedResult>));
    },
  };
}

/** Converts the result of a tool. Throws for an error. */
export function programResult({ status, result, error, content, value }: ReturnedResult): unknown {
  const blocks = (content ?? []).map((part) => blockOf(part as Part));
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (status === "error")
    throw new Error([error, ...texts].filter((text) => text !== undefined).join("\n") || "The call failed.");
  if (texts.length < blocks.length)
    return { content: [...(result === undefined ? [] : [{ type: "text", text: result }]), ...blocks] };
  if (result === undefined && blocks.length === 0 && value !== undefined) return value;
  return [...(result === undefined ? [] : [result]), ...texts].join("\n\n");
}

type Part = { type: "text"; text: string } | { type: "image" | "file"; data: string; mimeType: string; name?: string };

type Block =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; data: string }; mimeType: string }
  | { type: "document"; source: { type: "base64"; data: string }; mimeType: string; title?: string };

function blockOf(part: Part): Block {
  if (part.type === "text") return { type: "text", text: part.text };
  const source = { type: "base64" as const, data: part.data };
  if (part.type === "image") return { type: "image", source, mimeType: part.mimeType };
  return {
    type: "document",
    source,
    mimeType: part.mimeType,
    ...(part.name === undefined ? {} : { title: part.name }),
  };
}
