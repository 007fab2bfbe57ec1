// The language models of Azure, loaded with the first request to it: their addresses and headers, and the refusals of prompts. Azure refuses a
// prompt with status 400 and the code `content_filter`, where other providers end the answer. So this refusal becomes an answer that ends,
// with the text as its reason.

import type { LanguageModelV3 } from "@ai-sdk/provider";

import { fieldsOf, parseJson } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import { categoriesOf, found, refusalField, reportedCategories } from "./azure-filter.ts";
import { textOf } from "./chunk-field.ts";
import { loadChat } from "./openai-compatible.ts";
import { OpenAIResponsesLanguageModel } from "./openai-package.ts";
import { plainThinkingFetch } from "./plain-thinking.ts";
import type { CallTarget } from "./provider-profile.ts";

type Protocol = "responses" | "chat";
type Fetch = typeof globalThis.fetch;

/** Whether a value is an access token of Entra ID, which is a JSON Web Token. API keys contain no dots. */
const entraToken = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;

/** What the portal's target URI of a deployment has after the address: the operation. The Responses API has no path of a deployment. */
const ofTarget: Record<Protocol, RegExp> = {
  chat: /\/(?:chat\/completions|responses)$/,
  responses: /(?:\/deployments\/[^/]+)?\/(?:chat\/completions|responses)$/,
};

/**
 * The address of a protocol below a base URL, or below that of a target URI. A base URL with a dated `api-version` has the form of deployments,
 * without one that of version 1.
 */
function addressAt(baseUrl: string, deployment: string, protocol: Protocol): { base: string; query: string } {
  if (!URL.canParse(baseUrl)) return { base: baseUrl, query: "" };
  const { origin, pathname, search, searchParams } = new URL(baseUrl);
  const isDated = /^\d{4}-/.test(searchParams.get("api-version") ?? "");
  const path = pathname.replace(/(?<!\/)\/+$/, "").replace(ofTarget[protocol], "");
  const root = path === "" || path === "/openai" ? `/openai${isDated ? "" : "/v1"}` : path;
  const inPath = isDated && protocol === "chat" && root.endsWith("/openai");
  return { base: `${origin}${root}${inPath ? `/deployments/${encodeURIComponent(deployment)}` : ""}`, query: search };
}

/** Where and with which header the requests are sent. A request without a key has no header of its own. */
function connectionOf({ model, to: { apiKey, baseUrl } }: CallTarget, protocol: Protocol) {
  const bearer: Record<string, string> = { authorization: `Bearer ${apiKey}` };
  const key = entraToken.test(apiKey) ? bearer : { "api-key": apiKey };
  return { ...addressAt(baseUrl ?? "", model.model, protocol), headers: apiKey === "" ? {} : key };
}

/** The text of a refused prompt, with its categories; null for any other error. */
function refusedPrompt(body: string): string | null {
  const error = fieldsOf(fieldsOf(parseJson(body))["error"]);
  const { code, innererror, content_filters: reports, message } = error;
  const { code: inner, content_filter_result: result, content_filter_results: results } = fieldsOf(innererror);
  if (code !== "content_filter" && inner !== "ResponsibleAIPolicyViolation") return null;
  const categories = [...categoriesOf(result), ...categoriesOf(results), ...reportedCategories(reports)];
  const text = textOf(message);
  const said = text !== null && isVisible(text) ? text : "Azure's content filter refused the prompt.";
  return [said, found(categories)].filter((sentence) => sentence !== null).join(" ");
}

/** The events of an answer that the filter ended, by protocol. */
const eventsOf: Record<Protocol, (text: string) => object[]> = {
  chat: (text) => [{ choices: [{ index: 0, delta: {}, finish_reason: "content_filter" }], [refusalField]: text }],
  responses: (text) => {
    const response = { id: "", created_at: 0, model: "", [refusalField]: text };
    const ended = { incomplete_details: { reason: "content_filter" }, usage: { input_tokens: 0, output_tokens: 0 } };
    return [
      { type: "response.created", sequence_number: 0, response },
      { type: "response.incomplete", sequence_number: 1, response: { ...response, ...ended } },
    ];
  },
};

/** Creates a fetch that replaces the refusal of a prompt by an answer that ends with `content_filter`. */
function promptFilterFetch(fetch: Fetch, protocol: Protocol): Fetch {
  const send = async (input: Parameters<Fetch>[0], init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    if (response.status !== 400) return response;
    // The body is bounded where the response is observed (`observed-fetch.ts`).
    const body = await response.text();
    const text = refusedPrompt(body);
    const { status, statusText, headers } = response;
    if (text === null) return new Response(body, { status, statusText, headers });
    const events = eventsOf[protocol](text).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
  };
  return send as Fetch;
}

/** Loads a deployment with Chat Completions. */
export function loadChatModel(target: CallTarget, fetch: Fetch): Promise<LanguageModelV3> {
  const { base, query, headers } = connectionOf(target, "chat");
  const queryParams = Object.fromEntries(new URLSearchParams(query));
  return loadChat(target, promptFilterFetch(fetch, "chat"), { baseURL: base, headers, queryParams });
}

/** Loads a deployment with the Responses API. */
export function loadResponsesModel(target: CallTarget, fetch: Fetch): LanguageModelV3 {
  const { base, query, headers } = connectionOf(target, "responses");
  return new OpenAIResponsesLanguageModel(target.model.model, {
    provider: "openai.responses",
    url: ({ path }) => `${base}${path}${query}`,
    headers: () => headers,
    fetch: promptFilterFetch(plainThinkingFetch(fetch), "responses"),
    fileIdPrefixes: ["assistant-"],
  });
}
