// The project's agents as tools. A call to an agent with two sides runs in a child thread; a call to another agent hands the thread
// over to it.

import type { ChildThreads } from "#core/ports/child-thread-port.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";

import { agentToolRunner } from "../child-agent-tool.ts";
import { handoffRunner } from "../handoff.ts";
import type { Definitions } from "../project-definitions.ts";
import type { ToolSource } from "./tool-source.ts";

/** Creates the source. */
export function agentTools(
  definitions: Definitions,
  ports: { children: ChildThreads; clock: Clock; faults: Faults },
): ToolSource {
  return {
    title: "The project's agents",
    names: () => Promise.resolve(definitions.names("agents")),
    runner: (name) => (definitions.has("agents", name) ? runnerOf(name) : null),
  };

  async function runnerOf(name: string): Promise<ToolRunner> {
    const agent = await definitions.agent(name);
    const prompt = await definitions.prompt(agent.sideA.prompt);
    return agent.type === "dual_ai" ? agentToolRunner(agent, prompt, ports) : handoffRunner(agent, prompt);
  }
}
