// Resolves the tools of a step from an ordered list of sources. A name stands for the tool of the first source that has it. If a
// source fails, the step lacks the tools of that source only.

import { cutText, errorMessage } from "#core/cut-text.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import { errorResult } from "#core/tools/error-results.ts";
import type { SubpromptConfig } from "#spec/index.ts";

/** Tools of one kind, such as those of the project or those of a client. */
export interface ToolSource {
  /** The name of the source in warnings. */
  readonly title: string;
  /** The names of its tools, in a fixed order. */
  names(): Promise<readonly string[]>;
  /**
   * Creates the runner of a tool. The result is null, without a promise where possible, if the source has no tool of that name.
   * `config` holds the options of a prompt's entry. Contract: never throws, and rejects only for a name that belongs to the source.
   * A source that sends requests to other servers limits how long it waits.
   */
  runner(name: string, config?: SubpromptConfig): Promise<ToolRunner | null> | null;
}

/** The tools that the entries of a prompt name. */
export interface ResolvedTools {
  /** By the name that a model calls. */
  tools: ReadonlyMap<string, ToolRunner>;
  /** Entries whose source failed. */
  failures: readonly SourceFailure[];
}

/** An entry that has no tools because its source failed. */
export interface SourceFailure {
  entry: string;
  /** The failed source and the reason. */
  warning: string;
}

/** UTF-8 bytes of JSON that a warning may take. */
const warningLimit = 1024;

/** Resolves the entries of a prompt in order: names, `prefix__*` for every tool whose name has the prefix, prompts with options. */
export async function resolveTools(
  entries: readonly (string | SubpromptConfig)[],
  sources: readonly ToolSource[],
): Promise<ResolvedTools> {
  const tools = new Map<string, ToolRunner>();
  const failures: SourceFailure[] = [];
  for (const entry of entries) {
    const { name, config } = typeof entry === "string" ? { name: entry } : { name: entry.name, config: entry };
    const names = name.endsWith(patternEnd) ? await matchingNames(name, sources, failures) : [name];
    for (const each of names) {
      for (const source of sources) {
        const asked = source.runner(each, config);
        if (asked === null) continue;
        try {
          const runner = await asked;
          if (runner === null) continue;
          tools.set(runner.spec.name, runner);
        } catch (thrown) {
          failures.push(failureOf(each, source, thrown));
        }
        // A failed source ends the search too: a later source with the name would have another tool than the prompt's author meant.
        break;
      }
    }
  }
  return { tools, failures };
}

const patternEnd = "__*";

async function matchingNames(
  pattern: string,
  sources: readonly ToolSource[],
  failures: SourceFailure[],
): Promise<string[]> {
  const prefix = pattern.slice(0, -1);
  const names = new Set<string>();
  for (const source of sources) {
    try {
      for (const name of await source.names()) if (name.startsWith(prefix)) names.add(name);
    } catch (thrown) {
      failures.push(failureOf(pattern, source, thrown));
    }
  }
  return [...names];
}

function failureOf(entry: string, { title }: ToolSource, thrown: unknown): SourceFailure {
  return {
    entry,
    warning: cutText(`${title} failed, so "${entry}" is not available: ${errorMessage(thrown)}`, warningLimit),
  };
}

/** A section of the system prompt that names the entries without tools; none if no source failed. */
export function unavailableSection(failures: readonly SourceFailure[]): string[] {
  if (failures.length === 0) return [];
  const entries = failures.map(({ entry }) => entry).join(", ");
  return [`These tools are not available now, so do not call them: ${entries}.`];
}

/** The tools, and for each name whose source failed a runner that returns an error. */
export function withUnavailable({ tools, failures }: ResolvedTools): ReadonlyMap<string, ToolRunner> {
  if (failures.length === 0) return tools;
  return new Map([...failures.map(({ entry }) => [entry, unavailable(entry)] as const), ...tools]);
}

function unavailable(name: string): ToolRunner {
  return {
    spec: { name, description: "", parameters: { type: "object" } },
    remote: false,
    sequential: false,
    dependsOn: [],
    timeoutMs: 1000,
    // An interrupted call may have had effects that this runner cannot know of.
    idempotent: false,
    check: (args) => ({ ok: true, args }),
    async *run() {
      yield { type: "result", result: errorResult(`The tool "${name}" is not available now.`) };
    },
    reconcile: null,
  };
}
