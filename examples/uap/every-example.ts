// The programs of UAP-1.0 by their sections, except those that need the file system of Node. Each returns the values that it observed.

import * as agentInterface from "./agent-interface.ts";
import { complete } from "./complete.ts";
import { customStore } from "./custom-checkpoints.ts";
import * as hooks from "./hooks.ts";
import * as middleware from "./middleware.ts";
import { explicitState as migrated } from "./migration.ts";
import * as principles from "./principles.ts";
import * as state from "./state.ts";
import * as strategies from "./strategies.ts";
import * as streaming from "./streaming.ts";
import * as subagents from "./subagents.ts";
import * as threadTree from "./thread-tree.ts";

type Example = () => Promise<unknown>;

export const everyExample: Readonly<Record<string, Example>> = {
  "2.1 type uniformity": principles.typeUniformity,
  "2.2 explicit state": principles.explicitState,
  "2.3 decoupled execution": principles.decoupledExecution,
  "2.4 infinite by default": principles.infiniteByDefault,
  "2.6 explicit sub-agent": principles.explicitSubAgent,
  "4.4 generate": agentInterface.generate,
  "4.5 stream": agentInterface.stream,
  "4.6 ask": agentInterface.ask,
  "4.7 query": agentInterface.query,
  "5.2 loop": strategies.loops,
  "5.4 plan": strategies.plans,
  "5.5 custom strategy": strategies.custom,
  "6.2 message operations": state.messageOperations,
  "6.2 context window": state.contextWindow,
  "6.2 composed context": state.composedContext,
  "6.3 state flow": state.stateFlow,
  "6.4 state serialization": state.stateSerialization,
  "7.2 thread tree": threadTree.threadTree,
  "7.3 history": threadTree.history,
  "8.2 explicit tool": subagents.explicitTool,
  "8.4 inheritance": subagents.inheritance,
  "8.5 dependencies": subagents.dependencies,
  "8.6 model-driven order": subagents.modelDrivenOrder,
  "8.7 event propagation": subagents.eventPropagation,
  "8.7 event helper": subagents.eventHelper,
  "9.2 composition": middleware.composition,
  "9.3 logging": middleware.logs,
  "9.4 custom middleware": middleware.custom,
  "10.3 stop conditions": hooks.stopConditions,
  "10.4 tool strategy": hooks.toolStrategy,
  "11.3 events": streaming.events,
  "11.4 completeness": streaming.completeness,
  "12.4.6 custom store": customStore,
  "A.2 migration": migrated,
  "B complete example": complete,
};

/** Runs examples one after the other. Returns the values that each observed, or the error that it threw. */
export async function runExamples(examples: Readonly<Record<string, Example>>): Promise<Record<string, unknown>> {
  const outcomes: Record<string, unknown> = {};
  for (const [name, example] of Object.entries(examples)) {
    outcomes[name] = await example().catch((error: unknown) => ({ error: String(error) }));
  }
  return outcomes;
}
