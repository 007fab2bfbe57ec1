// Decides how a request asks for a structured answer (decision 19: structured output): in the form of the provider's API, or, if the API
// or the model lacks it, as the arguments of a tool call that the request forces. The text of the answer is its JSON in both forms.

import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";

import type { AnswerStructure, ModelRequest, ToolSpec } from "#core/ports/model-port.ts";

import type { NativeStructure, ProviderSettings } from "./provider/provider-profile.ts";
import { RefusedRequest } from "./refused-request.ts";
import { normalForm } from "./schema/sent-schema.ts";

/** How a request asks for its structured answer. */
export type StructureForm =
  | { type: "native"; structure: AnswerStructure; native: NativeStructure }
  /** `tool` is the tool whose arguments are the answer. */
  | { type: "call"; tool: ToolSpec };

const answerDescription = "Gives the final answer. Call it once, as soon as no other tool is needed.";

/** The form of a request's structure; null for a request without one. Throws a RefusedRequest if the model supports neither form. */
export function structureForm(request: ModelRequest, to: ProviderSettings): StructureForm | null {
  const { structure: asked, model } = request;
  if (asked === undefined) return null;
  const structure = { ...asked, schema: normalForm(asked.schema) };
  const { structuredOutputs, functionCalling } = model.capabilities ?? {};
  const native = structuredOutputs === false ? null : (to.profile.structure?.(structure, request, to) ?? null);
  if (native !== null) return { type: "native", structure, native };
  if (functionCalling === false) {
    throw new RefusedRequest(
      `The model "${model.name}" cannot give structured answers: it supports neither structured output nor tools.`,
    );
  }
  return { type: "call", tool: answerTool(structure, request) };
}

/** The tool whose arguments are the answer. Its name differs from those of the request's tools. */
function answerTool({ name, schema }: AnswerStructure, { tools }: ModelRequest): ToolSpec {
  const taken = new Set(tools.map((tool) => tool.name));
  let free = name;
  while (taken.has(free)) free += "_";
  return { name: free, description: answerDescription, parameters: schema };
}

/** The request with the tool of the answer. The model has to call that tool, or another one if the request allows that. */
export function withAnswerTool(request: ModelRequest, form: StructureForm | null): ModelRequest {
  if (form?.type !== "call") return request;
  return { ...request, tools: [...request.tools, form.tool], toolChoice: "required" };
}

/** The call options of a structured answer. `asked` is the request without the tool of the answer. */
export function structureOptions(
  form: StructureForm | null,
  asked: ModelRequest,
): Pick<LanguageModelV3CallOptions, "responseFormat" | "toolChoice"> {
  if (form === null) return {};
  if (form.type === "native") {
    const { structure, native } = form;
    return { responseFormat: { type: "json", name: structure.name, schema: native.schema } };
  }
  const callsOthers = asked.tools.length > 0 && asked.toolChoice !== "none";
  return callsOthers ? {} : { toolChoice: { type: "tool", toolName: form.tool.name } };
}
