// The project's agents, with their models and tools, and whether their models are ready.

import { useQuery } from "@tanstack/react-query";
import type { Definitions } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

import { listed } from "../kit/figures.ts";

type Listed<K extends keyof Definitions> = Awaited<ReturnType<Definitions[K]["list"]>>[number];

type Agent = Listed<"agents">;

/** An agent with the models and tools of its sides' prompts, each name once. */
export interface KnownAgent {
  agent: Agent;
  models: readonly string[];
  /** The tools that its models may call. */
  tools: readonly string[];
  /** The JSON Schemas of the answers of its sides' prompts. */
  structures: readonly NonNullable<Prompt["structure"]>[];
  /** The missing variables without which its models cannot be used, as a part of a sentence; null if the agent is ready. */
  missing: string | null;
}

/** The agents, sorted: first those whose models are ready, then those that lack a variable. */
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
      const whole = all.map((agent) => withParts(agent, known, behind));
      return [...whole.filter((one) => one.missing === null), ...whole.filter((one) => one.missing !== null)];
    },
  });
  return { agents: data ?? none, loading: isPending, error, retry: () => void refetch() };
}

const none: readonly KnownAgent[] = [];

type Prompt = Listed<"prompts">;
type Model = Listed<"models">;

function withParts(agent: Agent, prompts: readonly Prompt[], models: readonly Model[]): KnownAgent {
  const sides = [agent.sideA, ...(agent.sideB === null ? [] : [agent.sideB])];
  const used = sides.flatMap((side) => prompts.filter(({ name }) => name === side.prompt));
  const named = [...new Set(used.map(({ model }) => model))];
  const missing = models.flatMap(({ name, missing_names: names }) => (named.includes(name) ? names : []));
  return {
    agent,
    models: named,
    structures: used.flatMap(({ structure }) => (structure === null ? [] : [structure])),
    tools: [...new Set(used.flatMap(({ tools }) => tools.map(toolName)))],
    missing: missing.length === 0 ? null : listed([...new Set(missing)]),
  };
}

/** An entry of a prompt's `tools` is a name, or an object with one. */
function toolName(entry: Prompt["tools"][number]): string {
  if (typeof entry === "string") return entry;
  const name = typeof entry === "object" && entry !== null && "name" in entry ? entry.name : undefined;
  return typeof name === "string" ? name : "";
}

export type Tool = Listed<"tools">;

/** A definition that models may call, by its name. Undefined while it is loaded; null if there is none. */
export function useTool(name: string): Tool | null | undefined {
  const client = useThreadholdClient();
  const { data, isPending } = useQuery({
    queryKey: ["tools"],
    queryFn: ({ signal }) => client.definitions.tools.list({ signal }),
    staleTime: 60_000,
  });
  return isPending ? undefined : (data?.find((tool) => tool.name === name) ?? null);
}
