// Loads all definitions of the project, and the findings of its last build. A developer may edit definitions while the
// page is open, so both are loaded again: every few seconds if the deployment is on this machine, otherwise each
// minute, and when the page becomes visible or the network returns. An unchanged value stays the same object.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useThreadholdClient } from "threadhold/react";

import type { DefinitionSet } from "./definition.ts";
import type { Finding } from "./findings.ts";
import { linksOf } from "./relations.ts";
import type { Link } from "./relations.ts";

const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);

/** Milliseconds between two requests while the page is visible. */
const everyMs = isLocal ? 4000 : 60_000;

/** The definitions as far as they are loaded. */
export interface KnownDefinitions {
  /** Undefined until it is loaded. After a failure the last loaded value stays. */
  set: DefinitionSet | undefined;
  links: readonly Link[];
  error: Error | null;
  retry: () => void;
}

export function useDefinitions(): KnownDefinitions {
  const client = useThreadholdClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["definitions"],
    queryFn: async ({ signal }): Promise<DefinitionSet> => {
      const { agents, prompts, models, tools, sources, skills, strategies, hooks, filters, routes } =
        client.definitions;
      const options = { signal };
      const [ofAgents, ofPrompts, ofModels, ofTools, ofSources, ofSkills, ...others] = await Promise.all([
        agents.list(options),
        prompts.list(options),
        models.list(options),
        tools.list(options),
        sources.list(options),
        skills.list(options),
        strategies.list(options),
        hooks.list(options),
        filters.list(options),
        routes.list(options),
      ]);
      const [ofStrategies, ofHooks, ofFilters, ofRoutes] = others;
      return {
        agents: ofAgents,
        prompts: ofPrompts,
        models: ofModels,
        tools: ofTools,
        sources: ofSources,
        skills: ofSkills,
        strategies: ofStrategies,
        hooks: ofHooks,
        filters: ofFilters,
        routes: ofRoutes,
      };
    },
    staleTime: 1000,
    refetchInterval: everyMs,
    refetchOnWindowFocus: "always",
    refetchOnReconnect: "always",
  });
  const links = useMemo(() => (data === undefined ? none : linksOf(data)), [data]);
  return { set: data, links, error, retry: () => void refetch() };
}

const none: readonly Link[] = [];

/** The findings of the last build. The reach gate (`app/reach-gate.tsx`) loads them every few seconds. */
export function useFindings(): readonly Finding[] {
  const client = useThreadholdClient();
  const { data } = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => client.health({ signal }),
    refetchOnWindowFocus: "always",
  });
  return data?.diagnostics ?? nothing;
}

const nothing: readonly Finding[] = [];
