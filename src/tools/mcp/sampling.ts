// Texts that a server requests from a model during a call (sampling). The request does not name the call, so the usage is counted to the
// call that began last and is still open.

import type { CreateMessageRequestParams, CreateMessageResult, SamplingMessage } from "@modelcontextprotocol/client";

import type { DefinedCall, TextRequest, ToolsContext } from "#core/ports/tool-source-port.ts";
import type { McpSampling } from "#spec/index.ts";

import { McpServerError } from "./server-error.ts";

const defaultMaxTokens = 1000;
const defaultMaxRequests = 10;

/** The maximum number of UTF-16 units of all texts of a request. */
const mostUnits = 256 * 1024;

/** Answers the requests for texts of one server in one execution of a run. */
export class Sampler {
  readonly #options: McpSampling;
  readonly #calls = new Set<DefinedCall>();
  readonly #requestedBefore: () => number;
  /** The number of requests of the run. Undefined before the first request of this execution. */
  #requests: number | undefined;

  constructor(options: McpSampling, { requestedTexts = () => 0 }: Pick<ToolsContext, "requestedTexts">) {
    this.#options = options;
    this.#requestedBefore = requestedTexts;
  }

  /** Runs a call during which the server may request texts. */
  async during<T>(call: DefinedCall, work: () => Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await work();
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Answers a request. An error that this method throws is sent to the server. */
  // oxlint-disable-next-line typescript/no-deprecated -- the versions that are negotiated have sampling
  async answer(params: CreateMessageRequestParams): Promise<CreateMessageResult> {
    const { model, maxTokens = defaultMaxTokens, maxRequests = defaultMaxRequests } = this.#options;
    const request = {
      model,
      system: params.systemPrompt ?? "",
      messages: params.messages.map((message) => textMessage(message)),
      maxTokens: Math.max(1, Math.min(params.maxTokens, maxTokens)),
      temperature: params.temperature ?? null,
    };
    if (unitsOf(request) > mostUnits) throw new McpServerError("The texts of the request are too long.");
    const requestText = [...this.#calls].at(-1)?.requestText;
    if (requestText === undefined) throw new McpServerError("A model can be used only during a call in a run.");
    // Requests of this execution have no stored rows yet when the first one arrives, so none is counted twice.
    this.#requests = (this.#requests ?? this.#requestedBefore()) + 1;
    if (this.#requests > maxRequests) throw new McpServerError("The run has reached its number of requests.");
    const answer = await requestText(request);
    return { role: "assistant", model: answer.model, content: { type: "text", text: answer.text } };
  }
}

// oxlint-disable-next-line typescript/no-deprecated -- the versions that are negotiated have sampling
function textMessage({ role, content }: SamplingMessage): TextRequest["messages"][number] {
  const texts = [content].flat().map((block) => {
    if (block.type !== "text") throw new McpServerError("Only texts can be sent to the model.");
    return block.text;
  });
  return { role, text: texts.join("\n\n") };
}

function unitsOf({ system, messages }: TextRequest): number {
  return messages.reduce((sum, { text }) => sum + text.length, system.length);
}
