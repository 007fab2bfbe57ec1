// Checks a text from outside by the input filters before it is stored (decision record 44: filters). For a rejected input an event is
// stored, and the response under the request's idempotency key, so that a repeated request receives the same response and runs no filter.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { StoredPart } from "#core/record/record.ts";
import { textOf } from "#core/record/view.ts";
import type { RequestKey } from "#core/rpc/thread-rpc.ts";
import { filtersOf, inputText, runFilters } from "#flow/hook/input-filters.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import { definitionAccess, reportHook } from "./definition-access.ts";
import type { DefinitionContext } from "./definition-access.ts";
import { rejection, repeatedAdmission, storeRejection } from "./idempotency.ts";

/** An input to check. */
interface CheckedInput {
  parts: StoredPart[];
  /** The JSON Schema of the answer that the request asks for. A model reads its names and descriptions. */
  structure?: JsonObject | undefined;
  key: RequestKey | null;
}

/**
 * Checks the parts of an input and returns them, with the filters' warnings appended to their text. Throws `input_rejected` if a filter
 * rejects the input, and `unavailable` if one fails. Without filters the parts are returned without a wait.
 */
export function filteredParts(
  context: DefinitionContext,
  agent: AnyAgentDefinition,
  input: CheckedInput,
): StoredPart[] | Promise<StoredPart[]> {
  const filters = filtersOf(context.deployment.registry.filters ?? [], agent);
  return filters.length === 0 ? input.parts : checkParts(context, filters, input);
}

/** Checks the new text of an edit and returns it, with the filters' warnings appended. Throws as `filteredParts` does. */
export async function filteredText(context: DefinitionContext, text: string): Promise<string> {
  const filters = filtersOf(context.deployment.registry.filters ?? [], await currentAgent(context));
  if (filters.length === 0) return text;
  return textOf(await checkParts(context, filters, { parts: [{ type: "text", text }], key: null })) ?? "";
}

/** The thread's agent; null if it is not defined any more. Its messages can be edited nevertheless. */
async function currentAgent({ definitions, live }: DefinitionContext): Promise<AnyAgentDefinition | null> {
  try {
    return await definitions.agent(live.record.agent_id);
  } catch (thrown) {
    if (thrown instanceof ThreadholdError) return null;
    throw thrown;
  }
}

async function checkParts(
  context: DefinitionContext,
  filters: ReturnType<typeof filtersOf>,
  { parts, structure, key }: CheckedInput,
): Promise<StoredPart[]> {
  const { live } = context;
  const { clock } = context.deployment;
  const { state } = definitionAccess(context);
  const texts = [await inputText(parts, context.files), ...(structure === undefined ? [] : textsIn(structure))];
  const outcome = await runFilters(filters, texts.join("\n"), {
    state,
    clock,
    redact: context.deployment.settings.redact,
  });
  if (outcome.type === "accepted") return withWarnings(parts, outcome.warnings);
  if (outcome.type === "unchecked") {
    const { file, problem, stack } = outcome;
    if (!live.retired) reportHook(context, { hook: "filter", file, problem, stack });
    throw refuse("unavailable", "The input could not be checked, so it was not accepted. Send it again later.");
  }
  if (live.retired) throw refuse("thread_not_found", "There is no such thread.");
  // A request with the same key may have been answered while the filters ran; the caller returns that answer.
  if (repeatedAdmission(live, key) !== null) return parts;
  const { reason } = outcome;
  live.emit([{ type: "input_rejected", reason }], () => storeRejection(context, key, reason));
  throw rejection(reason);
}

/** Appends the warnings to the last text, or adds a text if there is none. */
function withWarnings(parts: StoredPart[], warnings: readonly string[]): StoredPart[] {
  if (warnings.length === 0) return parts;
  const appended = warnings.join("\n");
  const last = parts.findLastIndex(({ type }) => type === "text");
  if (last === -1) return [...parts, { type: "text", text: appended }];
  return parts.map((part, at) =>
    at === last && part.type === "text" ? { ...part, text: `${part.text}\n\n${appended}` } : part,
  );
}

/** The names and the texts in a JSON value. The bounds of the request's body bound its depth. */
function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}
