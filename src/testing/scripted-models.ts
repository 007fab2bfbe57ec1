// The model port of a tested thread: each request takes an answer from the thread's script. No request leaves the process. The price,
// retries, fallbacks and capabilities of the model's definition apply.

import type { ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import { failure } from "#models/classify-failure.ts";
import { playScript } from "#models/provider/test/play-script.ts";
import { testRequest } from "#models/provider/test/test-request.ts";
import { checkTranscript } from "#models/provider/test/transcript-check.ts";
import { untilAborted } from "#models/read-stream.ts";

import { Script, scriptOf } from "./script.ts";
import { missingToolError } from "./test-sources.ts";

/** The models of the thread with this id. */
export function scriptedModels(threadId: string): ModelPort {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    // A thread that no test started, such as one that the Worker's own routes create, has only the scripts of definitions.
    const script = scriptOf(threadId) ?? new Script(undefined);
    try {
      const { model, prompt = "" } = request;
      const broken = checkTranscript(request.messages);
      if (broken !== null) {
        const message = `The request of the prompt "${prompt}" to the model "${model.name}" breaks a provider's rules: ${broken}.`;
        script.fail(message);
        yield { type: "error", failure: failure("api", message) };
        return;
      }
      const recorded = { ...structuredClone(testRequest(request)), thread_id: threadId, prompt, model: model.name };
      const answer = await untilAborted(script.answer(recorded, model.script), signal);
      const offered = new Set(request.tools.map(({ name }) => name));
      for (const { name } of answer.toolCalls ?? []) {
        const missing = offered.has(name) ? null : missingToolError(script, name);
        // The run continues as with any call of an unknown tool.
        if (missing !== null) script.fail(missing);
      }
      const played = { ...request, model: { ...model, script: () => answer } };
      for await (const part of playScript(played, signal, systemClock.sleep)) {
        const isLast = part.type === "finish" || part.type === "error";
        if (isLast && answer.held === true) await script.hold(threadId, signal);
        yield part;
      }
    } catch (thrown) {
      if (signal.aborted) yield { type: "error", failure: failure("aborted", "The request was stopped.") };
      else yield { type: "error", failure: failure("api", `The script threw: ${String(thrown)}`) };
    }
  }
  return { stream };
}
