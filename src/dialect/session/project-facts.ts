// Facts of the project's definitions that a session's events need: the provider of each model, and the tools that
// clients run.

import type { Providers } from "#contract/session/session-transcript.ts";
import { readTool } from "#spec/define-tool.ts";
import type { Registry } from "#spec/registry.ts";

/** The facts of the project's definitions. */
export interface ProjectFacts {
  providers: Providers;
  /** Names of the project's tools without a function. */
  remoteTools: ReadonlySet<string>;
}

/**
 * Returns a function that reads the facts at its first call and caches them, because definitions do not change while
 * the Worker runs.
 */
export function projectFacts({ models, tools }: Pick<Registry, "models" | "tools">): () => Promise<ProjectFacts> {
  let known: ProjectFacts | null = null;
  const read = async (): Promise<ProjectFacts> => {
    const [allModels, allTools] = await Promise.all([loaded(models), loaded(tools)]);
    const remote = allTools.filter(([, tool]) => readTool(tool).run === undefined).map(([name]) => name);
    return {
      providers: new Map(allModels.map(([name, { provider }]) => [name, provider])),
      remoteTools: new Set(remote),
    };
  };
  // The facts are cached, not their promise: a promise may never settle after the request that created it has ended.
  return async () => (known ??= await read());
}

function loaded<D>(loaders: Record<string, () => Promise<D>>): Promise<[string, D][]> {
  return Promise.all(Object.entries(loaders).map(async ([name, load]): Promise<[string, D]> => [name, await load()]));
}
