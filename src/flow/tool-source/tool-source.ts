// Resolves the tools of a step from an ordered list of sources. If several sources have a tool of the same name, the first source's tool is
// used. If a source fails, the step lacks only the tools of that source.

import type { ToolRunner } from "#core/ports/tool-port.ts";
import { isAuthorizationRequired } from "#core/rpc/authorization-required.ts";
import { errorResult } from "#core/tools/error-results.ts";
import { cutText, errorMessage } from "#lib/cut-text.ts";
import type { SubpromptConfig } from "#spec/index.ts";

/** Tools of one kind, such as those of the project or those of a client. */
export interface ToolSource {
  /** The name of the source in warnings. */
  readonly title: string;
  /** The names of its tools, in a fixed order. With `prefix` it may leave out names that do not begin with it. */
  names(prefix?: string): Promise<readonly string[]>;
  /**
   * Creates the runner of a tool. The result is null, without a promise where possible, if the source has no tool of that name. `config`
   * are the options that the prompt gives the tool in its list of tools. Contract: never throws, and rejects only for a name that belongs
   * to the source. A source that sends requests to other servers limits how long it waits.
   */
  runner(name: string, config?: SubpromptConfig): Promise<ToolRunner | null> | null;
}

/** The tools of a prompt. A prompt lists them as entries: names, patterns of names, or names with options. */
export interface ResolvedTools {
  /** The runners by the name with which a model calls the tool. */
  tools: ReadonlyMap<string, ToolRunner>;
  /** The entries whose source failed. */
  failures: readonly SourceFailure[];
}

/** An entry of the prompt's list whose tools are missing because their source failed. */
export interface SourceFailure {
  entry: string;
  /** The failed source and the reason. */
  warning: string;
  /** The server that a person has to connect to before the tools are available. Absent: the source failed for another reason. */
  authorization?: string;
}

/** The maximum number of UTF-8 bytes of JSON of a warning. */
const warningLimit = 1024;

/**
 * Resolves a prompt's list of tools in order. An entry is a name, a pattern `prefix__*` for every tool whose name has the prefix, or a
 * prompt with options.
 */
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
        // The search also ends at a source that failed: a later source may have another tool with this name than the prompt's author meant.
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
      for (const name of await source.names(prefix)) if (name.startsWith(prefix)) names.add(name);
    } catch (thrown) {
      failures.push(failureOf(pattern, source, thrown));
    }
  }
  return [...names];
}

function failureOf(entry: string, { title }: ToolSource, thrown: unknown): SourceFailure {
  return {
    entry,
    ...(isAuthorizationRequired(thrown) ? { authorization: thrown.server } : {}),
    warning: cutText(`${title} failed, so "${entry}" is not available: ${errorMessage(thrown)}`, warningLimit),
  };
}

/** A section of the system prompt that names the entries whose tools are missing; no section if no source failed. */
export function unavailableSection(failures: readonly SourceFailure[]): string[] {
  if (failures.length === 0) return [];
  const broken = failures.filter(({ authorization }) => authorization === undefined);
  const servers = new Set(failures.flatMap(({ authorization }) => authorization ?? []));
  return [
    ...(broken.length === 0 ? [] : [`These tools are not available now, so do not call them: ${entriesOf(broken)}.`]),
    ...[...servers].map((server) => {
      const entries = entriesOf(failures.filter(({ authorization }) => authorization === server));
      return (
        `These tools are available after the user has connected to "${server}", so do not call them now: ${entries}. ` +
        `If you need them, ask the user to connect to "${server}".`
      );
    }),
  ];
}

function entriesOf(failures: readonly SourceFailure[]): string {
  return failures.map(({ entry }) => entry).join(", ");
}

/** The tools; for each entry whose source failed, a runner that returns an error. */
export function withUnavailable({ tools, failures }: ResolvedTools): ReadonlyMap<string, ToolRunner> {
  if (failures.length === 0) return tools;
  return new Map([...failures.map((failure) => [failure.entry, unavailable(failure)] as const), ...tools]);
}

function unavailable({ entry: name, authorization }: SourceFailure): ToolRunner {
  const reason =
    authorization === undefined
      ? `The tool "${name}" is not available now.`
      : `The tool "${name}" is available after the user has connected to "${authorization}" (authorization_required).`;
  return {
    spec: { name, description: "", parameters: { type: "object" } },
    remote: false,
    sequential: false,
    dependsOn: [],
    timeoutMs: 1000,
    // An interrupted call may have had effects that are unknown here, so it does not run again.
    idempotent: false,
    check: (args) => ({ ok: true, args }),
    async *run() {
      yield { type: "result", result: errorResult(reason) };
    },
    reconcile: null,
  };
}
