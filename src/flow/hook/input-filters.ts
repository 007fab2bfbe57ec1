// Runs the input filters over a text (decision record 44: filters). An input that cannot be checked is not accepted: a filter that throws, takes
// too long or returns no verdict refuses the input, because a filter often keeps inputs from the model that it must not read.

import { refuse } from "#contract/error.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { cutText, errorMessage } from "#lib/cut-text.ts";
import { isObject } from "#lib/json-value.ts";
import { isTextType } from "#lib/text-type.ts";
import { waitWithin } from "#lib/time-limit.ts";
import type { AnyAgentDefinition, FilterEntry, InputFilter, InputVerdict, ThreadState } from "#spec/index.ts";

/** How long a filter may take, in milliseconds. */
const filterLimitMs = 10_000;

/** The maximum number of UTF-8 bytes of JSON of a reason, and of a warning. */
const verdictLimit = 4096;

/** A filter with the file or the definition that declares it. */
export interface DeclaredFilter {
  file: string;
  load: () => Promise<InputFilter>;
}

/** The filters of an agent's inputs: those of the project, then those of each side. A side without filters has those of the agent. */
export function filtersOf(project: readonly FilterEntry[], agent: AnyAgentDefinition | null): DeclaredFilter[] {
  if (agent === null) return [...project];
  const sides = agent.sideB === undefined ? [agent.sideA] : [agent.sideA, agent.sideB];
  const inline = new Set(sides.flatMap((side) => side.filters ?? agent.filters ?? []));
  return [...project, ...[...inline].map((filter) => ({ file: `agent ${agent.name}`, load: async () => filter }))];
}

/** The decision about a text: it is accepted with warnings, refused, or could not be checked. */
export type FilterOutcome =
  | { type: "accepted"; warnings: string[] }
  | { type: "rejected"; reason: string }
  | { type: "unchecked"; file: string; problem: string; stack?: string };

/** Runs the filters in order until one rejects the text or fails. Contract: never rejects. */
export async function runFilters(
  filters: readonly DeclaredFilter[],
  text: string,
  {
    state,
    clock,
    redact = (thrown) => thrown,
  }: { state: ThreadState; clock: Clock; redact?: (text: string) => string },
): Promise<FilterOutcome> {
  const warnings: string[] = [];
  for (const { file, load } of filters) {
    try {
      const verdict = await waitWithin(async () => readVerdict(await (await load())(text, state)), {
        timers: clock,
        milliseconds: filterLimitMs,
        onTimeout: () => {
          throw new Error(`did not finish within ${filterLimitMs / 1000} s`);
        },
      });
      if (verdict.action === "reject") return { type: "rejected", reason: cutText(verdict.reason, verdictLimit) };
      if (verdict.action === "warn") warnings.push(cutText(verdict.message, verdictLimit));
    } catch (thrown) {
      const stack = thrown instanceof Error ? thrown.stack : undefined;
      const problem = cutText(redact(errorMessage(thrown)), verdictLimit);
      return {
        type: "unchecked",
        file,
        problem,
        ...(stack === undefined ? {} : { stack: cutText(redact(stack), verdictLimit) }),
      };
    }
  }
  return { type: "accepted", warnings };
}

function readVerdict(value: unknown): InputVerdict {
  if (isObject(value)) {
    const { action, message, reason } = value;
    if (action === "pass") return { action };
    if (action === "warn" && typeof message === "string") return { action, message };
    if (action === "reject" && typeof reason === "string") return { action, reason };
  }
  throw new Error('returned no verdict; it must return {action: "pass" | "warn" | "reject", …}');
}

/** The maximum number of bytes of a text file that filters receive. Larger files are refused. */
const fileTextLimit = 1_000_000;

/** The texts of an input, including its text files. Throws `too_large` for a text file over the limit. */
export async function inputText(parts: readonly StoredPart[], files: Pick<ThreadFiles, "read">): Promise<string> {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === "text") texts.push(part.text);
    if (part.type !== "file" || !isTextType(part.mime_type) || part.path === undefined) continue;
    const bytes = await files.read(part.path);
    if (bytes === null) continue;
    if (bytes.byteLength > fileTextLimit) {
      throw refuse("too_large", `A text file of a checked input may have at most ${fileTextLimit} bytes.`);
    }
    texts.push(new TextDecoder().decode(bytes));
  }
  return texts.join("\n");
}
