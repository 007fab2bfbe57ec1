// The project's agents as the pages show them: with whether they can be asked at once, and a first word for the demos.

import { useQuery } from "@tanstack/react-query";

import type { Definitions } from "#client/index.ts";
import { useThreadholdClient } from "#react/index.ts";

type Listed<K extends keyof Definitions> = Awaited<ReturnType<Definitions[K]["list"]>>[number];

/** An agent's definition. */
export type Agent = Listed<"agents">;

/** An agent, and the variable that its model waits for; null where it is ready. */
export interface KnownAgent {
  agent: Agent;
  missing: string | null;
}

/** The agents: those that can answer first, then those that need a key. */
export function useAgents(): {
  agents: readonly KnownAgent[];
  loading: boolean;
  error: Error | null;
  retry: () => void;
} {
  const client = useThreadholdClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["agents"],
    queryFn: async ({ signal }) => {
      const { agents, prompts, models } = client.definitions;
      const [all, known, behind] = await Promise.all([
        agents.list({ signal }),
        prompts.list({ signal }),
        models.list({ signal }),
      ]);
      const missing = ({ sideA }: Agent): string | null => {
        const prompt = known.find(({ name }) => name === sideA.prompt);
        return behind.find(({ name }) => name === prompt?.model)?.missing ?? null;
      };
      const listed = all.map((agent) => ({ agent, missing: missing(agent) }));
      return [...listed.filter((one) => one.missing === null), ...listed.filter((one) => one.missing !== null)];
    },
  });
  return { agents: data ?? none, loading: isPending, error, retry: () => void refetch() };
}

const none: readonly KnownAgent[] = [];

/** A tool's definition. */
export type Tool = Listed<"tools">;

/** What models may call, by name; for the forms in which a call is answered. Nothing while it is asked for, null for none. */
export function useTool(name: string): Tool | null | undefined {
  const client = useThreadholdClient();
  const { data, isPending } = useQuery({
    queryKey: ["tools"],
    queryFn: ({ signal }) => client.definitions.tools.list({ signal }),
    staleTime: 60_000,
  });
  return isPending ? undefined : (data?.find((tool) => tool.name === name) ?? null);
}
