// A loop in a call of a thread's tool (`in: state`): its requests count to the thread's run, and the thread sends its events. A loop without a
// thread is counted nowhere.

import { toolHostOf } from "#core/ports/tool-host.ts";
import { ThreadExecution } from "#host/thread-execution.ts";

import type { AgentLoopConfig } from "./loop-config.ts";
import { textOfContent } from "./loop-messages.ts";
import type { AgentMessage } from "./loop-messages.ts";
import type { LoopModels } from "./loop-models.ts";

/** The execution of a loop in its thread. */
export interface LoopExecution {
  execution: ThreadExecution;
  /** The models, whose requests are limited by the thread's run. */
  models: LoopModels;
  /** Ends the execution with the new messages of the loop. */
  end(messages: readonly AgentMessage[], isCancelled: boolean): void;
}

/** Begins the execution of a loop. If the call of the tool has ended, the signal of the execution is aborted and nothing is sent. */
export function beginExecution(
  { in: state, configId }: Pick<AgentLoopConfig, "in" | "configId">,
  models: LoopModels,
  prompts: readonly AgentMessage[],
): LoopExecution {
  const host = state === undefined ? undefined : toolHostOf(state);
  const { model } = models.model;
  const prompt = prompts.flatMap((one) => (one.role === "extension" ? [] : [textOfContent(one.content)])).join("\n\n");
  const execution = new ThreadExecution(host ?? null, { type: configId ?? model, prompt });
  // A thread's usage is by the names of models. The same model has the same name if `llm()` requests it.
  const definition = host === undefined ? models.model : { ...models.model, name: model };
  return {
    execution,
    models: { ...models, model: definition, port: execution.port(models.port) },
    end(messages, isCancelled) {
      const last = messages.findLast((message) => message.role === "assistant");
      if (last?.stop_reason === "error") execution.failed(last.error_message);
      else if (isCancelled) execution.failed("The loop was cancelled.");
      else execution.completed(textOfContent(last?.content ?? []));
    },
  };
}
