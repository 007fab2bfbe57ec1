// A step builder for a project with one agent, whose messages are in memory.

import { z } from "zod";

import type { ChildThreads } from "#core/ports/child-thread-port.ts";
import { noFaults } from "#core/ports/faults.ts";
import type { MessageRecord, StoredProjection } from "#core/record/record.ts";
import { StepBuilder } from "#flow/request/step-builder.ts";
import { sectionSources } from "#flow/request/system-prompt.ts";
import { Definitions } from "#flow/setup/project-definitions.ts";
import { mainParticipant } from "#flow/strategy/participant.ts";
import { agentTools } from "#flow/tool-source/agent-tools.ts";
import { projectTools } from "#flow/tool-source/project-tools.ts";
import { defineModel, definePrompt, defineTool } from "#spec/index.ts";
import type { ModelDefinition, PromptDefinition, Registry } from "#spec/index.ts";

import { ManualClock } from "../../core/support/manual-clock.ts";
import { messageRecord } from "../../store/records.ts";
import type { MemoryFiles } from "../../support/memory-files.ts";
import { hookRunner, noState } from "./hooks.ts";

const clock = new ManualClock();

/** No child thread is ever started here. */
const noChildren: ChildThreads = {
  depth: 0,
  newId: () => "child",
  start: () => Promise.reject(new Error("no children here")),
  stop: () => {},
};

const look = defineTool("Looks", z.object({ at: z.string() }), async () => ({ status: "success" as const }));

/** The parts of a project that a test sets. */
export interface Project {
  prompt?: Partial<PromptDefinition>;
  model?: Partial<ModelDefinition>;
  /** Further models by name. */
  models?: Record<string, ModelDefinition>;
  agent?: string;
  /** The messages of this run. */
  own?: MessageRecord[];
  /** The messages of earlier runs. */
  earlier?: MessageRecord[];
  /** A `filter_messages` hook. */
  filter?: (...values: never[]) => unknown;
  files?: MemoryFiles;
}

/** A builder for one agent, and how often it read the earlier messages. */
export function project({
  prompt = {},
  model = {},
  models = {},
  agent = "main",
  own = [messageRecord(2)],
  earlier = [messageRecord(1)],
  filter,
  files,
}: Project) {
  const main = defineModel({ name: "main", provider: "test", model: "m", fallbacks: ["spare"], ...model });
  const spare = defineModel({ name: "spare", provider: "test", model: "s", fallbacks: ["third"] });
  const text = definePrompt({
    name: "main",
    toolDescription: "",
    prompt: "Be kind.",
    model: "main",
    tools: ["look"],
    ...prompt,
  });
  const registry: Registry = {
    models: {
      main: async () => main,
      spare: async () => spare,
      ...Object.fromEntries(Object.entries(models).map(([name, definition]) => [name, async () => definition])),
    },
    prompts: { main: async () => text },
    agents: { main: async () => ({ name: "main", sideA: { prompt: "main" } }) },
    tools: { look: async () => look },
    hooks: [],
    routes: [],
    hash: "",
  };
  const read = { times: 0, limit: 0 };
  const definitions = new Definitions(registry);
  const sources = {
    definitions,
    hooks: (filter === undefined ? hookRunner() : hookRunner(["filter_messages", filter])).runner,
    faults: noFaults,
    tools: () => [
      projectTools(definitions, { state: noState, clock, faults: noFaults }),
      agentTools(definitions, { children: noChildren, clock, faults: noFaults }),
    ],
    sections: sectionSources(definitions, () => Promise.resolve([])),
    projections: new Map<string, StoredProjection>(),
    clock,
    ...(files === undefined ? {} : { files: files.port }),
  };
  const speaker = mainParticipant(sources, {
    agent: () => definitions.agent(agent),
    side: () => "a",
    formOf: () => Promise.resolve(null),
    earlier: (limit) => {
      read.times += 1;
      read.limit = limit;
      return earlier;
    },
  });
  return { builder: new StepBuilder({ ...sources, own: () => own }, speaker), read };
}
