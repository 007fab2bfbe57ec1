// Everything that the project defines, and what its last build found. A developer changes definitions in an editor while the page is
// open, so both are asked for again: every few seconds where the deployment is on this machine, each minute elsewhere, and whenever
// somebody comes back to the page or the network to it. What did not change stays the same object.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useThreadholdClient } from "threadhold/react";

import type { DefinitionSet } from "./definition.ts";
import type { Finding } from "./findings.ts";
import { linksOf } from "./relations.ts";
import type { Link } from "./relations.ts";

const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);

/** Milliseconds between two askings, while the page is looked at. */
const everyMs = isLocal ? 4000 : 60_000;

/** What is known. */
export interface KnownDefinitions {
  /** Undefined until it is there; what was there before a failure stays. */
  set: DefinitionSet | undefined;
  links: readonly Link[];
  error: Error | null;
  retry: () => void;
}

/** The definitions. */
export function useDefinitions(): KnownDefinitions {
  const client = useThreadholdClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["definitions"],
    queryFn: async ({ signal }): Promise<DefinitionSet> => {
      const { agents, prompts, models, tools, hooks, routes } = client.definitions;
      const options = { signal };
      const [ofAgents, ofPrompts, ofModels, ofTools, ofHooks, ofRoutes] = await Promise.all([
        agents.list(options),
        prompts.list(options),
        models.list(options),
        tools.list(options),
        hooks.list(options),
        routes.list(options),
      ]);
      return {
        agents: ofAgents,
        prompts: ofPrompts,
        models: ofModels,
        tools: ofTools,
        hooks: ofHooks,
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

/** What the last build found. The note above every page asks for it every few seconds. */
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
