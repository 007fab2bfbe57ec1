// Runs the calls of a loop: connects the tools of a program to the core's executor. The core decides when a call runs, what stops it and
// which error result it gets; the results with their blocks and details are kept here, because the core stores texts.

import { noFaults } from "#core/ports/faults.ts";
import { runnerDefaults, type ToolRunner } from "#core/ports/tool-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { toolOutput } from "#core/tools/tool-output.ts";
import { isObject } from "#lib/json-value.ts";
import { losslessJson } from "#lib/lossless-json.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { CancellationToken } from "./cancellation-token.ts";
import { textOfContent } from "./loop-messages.ts";
import type { Content } from "./loop-messages.ts";
import { ToolError } from "./loop-tool.ts";
import type { AgentTool, ToolResult } from "./loop-tool.ts";

/** An update of a running call. It is passed as the progress of the core's tool. */
export type CallUpdate = { partial: ToolResult } | { progress: string };

/** The calls of one loop. */
export class ToolCalls {
  readonly #loopId: string;
  /** The results that tools returned, and the loops that running calls began, by the id of the call. Emptied before each turn. */
  readonly #returned = new Map<string, Partial<ToolResult>>();

  constructor(loopId: string) {
    this.#loopId = loopId;
  }

  /** The runners of the tools by name. */
  runners(tools: readonly AgentTool[]): Map<string, ToolRunner> {
    return new Map(tools.map((tool) => [tool.name(), this.#runner(tool)]));
  }

  /** The result of a call. That of a failed call is one text, its error, and the loop that the call began. */
  resultOf(callId: string, stored: { status: "success" | "error"; error?: string | undefined }): ToolResult {
    const { child_loop_id = null, ...own } = this.#returned.get(callId) ?? {};
    const error = { content: [{ type: "text" as const, text: stored.error ?? "" }], details: null };
    return { ...error, ...(stored.status === "success" && own), child_loop_id };
  }

  /** Drops the results of the last turn. */
  clear(): void {
    this.#returned.clear();
  }

  #runner(tool: AgentTool): ToolRunner {
    const name = tool.name();
    return {
      ...runnerDefaults,
      spec: { name, description: tool.description(), parameters: tool.parametersSchema() },
      timeoutMs: Infinity,
      sequential: tool.isSequential?.() ?? false,
      check: (args) => ({ ok: true, args }),
      run: (args, call) =>
        toolOutput(
          async (call) => {
            const { id, signal } = call;
            const report = (update: CallUpdate): void => call.progress(update as never);
            const result = checkedResult(
              name,
              await tool.execute(args, {
                tool_call_id: id,
                tool_name: name,
                loop_id: this.#loopId,
                cancel: new CancellationToken(signal),
                on_update: (partial) => report({ partial: checkedResult(name, partial) }),
                on_progress: (text) => report({ progress: String(text) }),
                on_child_loop: (child_loop_id) =>
                  void this.#returned.set(id, { ...this.#returned.get(id), child_loop_id }),
              }),
            );
            this.#returned.set(id, result);
            return { status: "success", result: textOfContent(result.content) } satisfies ToolAnswer;
          },
          call,
          { faults: noFaults },
        ),
    };
  }
}

/**
 * The result of a tool, as plain data. A tool that returns something else failed: the model reads why. The data is copied, so that a tool
 * that keeps its result cannot change the conversation.
 */
function checkedResult(name: string, returned: unknown): ToolResult {
  const problem = (what: string): ToolError =>
    ToolError.failed(`The tool "${name}" ${what}. It has to return { content: [...], details }.`);
  if (!isObject(returned)) throw problem(`returned ${returned === undefined ? "nothing" : typeof returned}`);
  const { content, details = null, child_loop_id = null } = returned;
  if (!Array.isArray(content)) throw problem("returned no list `content`");
  for (const block of content as unknown[]) {
    if (!isResultBlock(block)) throw problem("returned a block that is neither text nor an image");
  }
  return parseOwnJson(losslessJson({ content, details, child_loop_id }) ?? "null") as ToolResult;
}

function isResultBlock(block: unknown): block is Content {
  if (!isObject(block)) return false;
  if (block["type"] === "text") return typeof block["text"] === "string";
  return block["type"] === "image" && typeof block["data"] === "string" && typeof block["mime_type"] === "string";
}
