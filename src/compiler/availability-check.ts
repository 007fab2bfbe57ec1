// Refuses options that the types accept and the runtime does not support yet, so that no option is ignored silently. An entry is
// removed when the runtime supports the option. docs/design/status.md has the same list.

import { unavailableProvider } from "#models/provider/providers.ts";
import type { AnyAgentDefinition, SideConfig } from "#spec/agent.ts";
import type { AnyPromptDefinition } from "#spec/prompt.ts";
import type { Strategy } from "#spec/side-strategies.ts";

import type { Findings } from "./findings.ts";
import type { Definition, Project } from "./project.ts";
import type { DefinitionPath } from "./syntax-tree.ts";

/** Reports every option in the project that would have no effect. */
export function checkAvailability(project: Project, findings: Findings): void {
  for (const { file, value } of project.models) {
    const message = unavailableProvider(value.provider);
    if (message !== undefined) findings.error({ code: "not_available", file, path: ["provider"], message });
    if (value.capabilities?.structuredOutputs === false) {
      findings.warning({
        code: "not_available",
        file,
        path: ["capabilities", "structuredOutputs"],
        message: "structuredOutputs: false does nothing yet: no request asks for a structured output",
      });
    }
  }
  for (const prompt of project.prompts) checkPrompt(prompt, findings);
  for (const agent of project.agents) checkAgent(agent, findings);
  for (const { file, value } of project.tools) {
    if (value[2] !== undefined || (value.options?.needsApproval ?? false) === false) continue;
    findings.warning({
      code: "not_available",
      file,
      path: ["argument:3", "needsApproval"],
      message: "needsApproval does nothing on a remote tool: the client that runs the call asks for approval itself",
    });
  }
}

function checkPrompt({ file, value }: Definition<AnyPromptDefinition>, findings: Findings): void {
  if (value.modelOrder === true) {
    findings.error({
      code: "not_available",
      file,
      path: ["modelOrder"],
      message: "modelOrder is not available yet; toolMode, sequential and dependsOn order the calls of a step",
    });
  }
  if (value.context !== undefined) {
    findings.error({
      code: "not_available",
      file,
      path: ["context"],
      message:
        "context (compaction) is not available yet; includeChat, includePastTools and hooks decide what a model is sent",
    });
  }
}

function checkAgent({ file, value }: Definition<AnyAgentDefinition>, findings: Findings): void {
  checkConduct({ file, value, base: [] }, findings);
  checkConduct({ file, value: value.sideA, base: ["sideA"] }, findings);
  if (value.sideB) checkConduct({ file, value: value.sideB, base: ["sideB"] }, findings);
}

interface Conducted {
  file: string;
  value: Pick<SideConfig, "filters" | "strategy">;
  base: DefinitionPath;
}

function checkConduct({ file, value: { filters = [], strategy }, base }: Conducted, findings: Findings): void {
  if (filters.length > 0) {
    findings.error({
      code: "not_available",
      file,
      path: [...base, "filters"],
      message:
        "filters are not available yet, so no text would be refused; the hook before_create_message can change a text",
    });
  }
  const message = strategy === undefined ? undefined : unavailableStrategy(strategy);
  if (message !== undefined) {
    findings.error({ code: "not_available", file, path: [...base, "strategy"], message });
  }
}

function unavailableStrategy(strategy: Strategy): string | undefined {
  const name = typeof strategy === "string" ? strategy : strategy.type;
  if (name !== "loop") return `strategy "${name}" is not available yet; available is "loop"`;
  const bounded = typeof strategy === "object" && "maxIterations" in strategy && strategy.maxIterations !== undefined;
  return bounded ? "maxIterations of a strategy is not available yet; maxSteps and limits bound a run" : undefined;
}
