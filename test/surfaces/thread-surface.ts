// The surface of a thread: a conversation in a Durable Object.

import { defineTool } from "@standardagents/spec";
import { z } from "zod";

import type { ThreadEvent } from "#contract/event.ts";
import type { Message } from "#contract/thread-message.ts";

import { start } from "../standard-agents/project.ts";
import { admin, follow, message, stubOf, value } from "../thread/thread-driver.ts";
import { answerLine, resultLine, userLine } from "./normal-form.ts";
import type { Block, Held, ServedModel } from "./normal-form.ts";
import { abortAfter, promptsOf, ReportedError, system, toolsOf } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";

const isEnd = ({ type }: ThreadEvent): boolean => type === "run_end";

/** Runs a scenario in a thread. */
export async function runThread(scenario: Scenario, served: ServedModel): Promise<Held> {
  const { isThinking = false, limit: steps } = scenario;
  const tools = Object.fromEntries(
    toolsOf(scenario).map(({ name, description, parameter, run }) => [
      name,
      defineTool(description, z.object({ [parameter]: z.string() }), async () => {
        try {
          return { status: "success", result: await run(() => {}) };
        } catch (error) {
          if (error instanceof ReportedError) return { status: "error", error: error.message };
          throw error;
        }
      }),
    ]),
  );
  const { thread } = await start({
    tools,
    prompt: { prompt: system, includeChat: true, includePastTools: true, tools: Object.keys(tools) },
    model: { provider: "anthropic", ...served, ...(isThinking ? { thinkingLevel: "low" } : {}) },
  });
  const { id } = thread;
  let end = "";
  for (const content of promptsOf(scenario)) {
    const limits = steps === undefined ? {} : { limits: { steps, on_limit: "end" as const } };
    const { run, after } = await value(stubOf(id).call("postMessage", admin, message(content, limits), null));
    const following = await follow(id, { after: String(after), run_id: run?.id ?? "" });
    if (scenario.abort !== undefined) {
      await following.until(({ type }) => {
        if (scenario.abort === "call") return type === "tool_execution_start";
        // The condition is checked for each event again, so the text is read from its beginning.
        let isReached = false;
        const onText = abortAfter(scenario, () => (isReached = true));
        for (const event of following.events) if (event.type === "text_delta") onText(event.delta);
        return isReached;
      });
      await value(stubOf(id).call("stop", admin, null));
    }
    const ended = await following.until(isEnd);
    following.close();
    if (ended.type === "run_end") end = endOf(ended);
  }
  const { usage } = await thread.describe();
  const { input, output, total_tokens: total } = usage;
  return { messages: (await thread.messages()).map(lineOf), end, usage: { input, output, total } };
}

function endOf({ status }: Extract<ThreadEvent, { type: "run_end" }>): string {
  return status === "stopped" ? "aborted" : status;
}

function lineOf({ role, content, parts, name, result, stop_reason }: Message): string {
  if (role === "tool") {
    const failed = result?.status === "error";
    return resultLine({ name: name ?? "", text: (failed ? result.error : result?.result) ?? "", failed });
  }
  if (role !== "assistant") return userLine(content ?? "");
  const blocks = parts.flatMap((part): Block[] => {
    if (part.type === "tool_call") return [{ call: part.name, args: part.arguments }];
    if (part.type === "thinking") return [{ thinking: part.thinking }];
    return part.type === "text" ? [{ text: part.text }] : [];
  });
  return answerLine(blocks, stop_reason === "aborted" || stop_reason === "error" ? stop_reason : "");
}
