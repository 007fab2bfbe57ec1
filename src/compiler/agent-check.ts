// Checks the agents: fields that require other fields, and descriptions of agents that are offered as tools. Also checks that the models of
// prompts with a structure can give structured answers.

import { isVisible } from "#lib/visible-text.ts";
import type { AnyAgentDefinition, SideConfig } from "#spec/agent.ts";
import type { AnyPromptDefinition } from "#spec/prompt.ts";
import { threadToolNames } from "#spec/thread-tool-names.ts";

import type { Findings } from "./findings.ts";
import { mayBeBroken, type Definition, type Project } from "./project.ts";

export function checkAgents(project: Project, findings: Findings): void {
  for (const agent of project.agents) {
    const { value, file } = agent;
    if (value.type === "dual_ai" && !value.sideB) {
      findings.error({
        code: "missing_side_b",
        file,
        path: ["type"],
        message: `"${agent.name}" is dual_ai but has no sideB`,
        suggestion: "sideB: { prompt: … }",
      });
    }
    if (value.exposeAsTool && !isText(value.toolDescription)) {
      findings.error({
        code: "missing_tool_description",
        file,
        path: ["exposeAsTool"],
        message: `"${agent.name}" has exposeAsTool but no toolDescription`,
        suggestion: "toolDescription: …",
      });
    }
    if (value.exposeAsTool && Object.values<string>(threadToolNames).includes(agent.name)) {
      findings.error({
        code: "duplicate_name",
        file,
        path: ["name"],
        message: `"${agent.name}" has exposeAsTool, and MCP clients already have a tool of this name that continues threads; rename the agent`,
      });
    }
    checkSide(agent, "sideA", { project, findings });
    checkSide(agent, "sideB", { project, findings });
  }
  for (const prompt of project.prompts) checkStructure(prompt, { project, findings });
  checkOffers(project, findings);
}

function checkSide(
  { value, file }: Definition<AnyAgentDefinition>,
  name: "sideA" | "sideB",
  { project, findings }: { project: Project; findings: Findings },
): void {
  const side = value[name];
  if (!side) return;
  if (side.stopTool !== undefined && side.stopToolResponseProperty === undefined) {
    findings.error({
      code: "missing_stop_property",
      file,
      path: [name, "stopTool"],
      message: `${name} has a stopTool but no stopToolResponseProperty to read its outcome from`,
      suggestion: "stopToolResponseProperty: …",
    });
  }
  const prompt = project.prompts.find((candidate) => candidate.name === side.prompt);
  if (value.type === "dual_ai" && prompt?.value.structure !== undefined) {
    findings.error({
      code: "invalid_field",
      file,
      path: [name, "prompt"],
      message:
        `prompt "${side.prompt}" has a structure, and the answers of a dual_ai agent are messages to its other side; ` +
        "use the prompt in an ai_human agent or offer it as a tool",
    });
  }
  for (const field of ["stopTool", "endSessionTool"] as const) {
    const tool = side[field];
    if (tool === undefined || offers(project, side, tool)) continue;
    findings.warning({
      code: "unreachable_tool",
      file,
      path: [name, field],
      message: `prompt "${side.prompt}" does not list "${tool}" in its tools, so the model can never call it`,
    });
  }
}

/** A structured answer needs a model that supports structured output or tools. */
function checkStructure(
  { value, file }: Definition<AnyPromptDefinition>,
  { project, findings }: { project: Project; findings: Findings },
): void {
  const model = project.models.find(({ name }) => name === value.model);
  const { structuredOutputs, functionCalling } = model?.value.capabilities ?? {};
  if (value.structure === undefined || structuredOutputs !== false || functionCalling !== false) return;
  findings.error({
    code: "invalid_field",
    file,
    path: ["structure"],
    message: `model "${value.model}" supports neither structured output nor tools, so it gives no structured answers`,
  });
}

function offers(project: Project, side: SideConfig, tool: string): boolean {
  const prompt = project.prompts.find((candidate) => candidate.name === side.prompt);
  const defined = [...project.tools, ...project.prompts, ...project.agents].some(({ name }) => name === tool);
  if (!prompt || !defined || mayBeBroken(project, ["prompt"], side.prompt)) return true;
  return (prompt.value.tools ?? []).some((offer) => (typeof offer === "string" ? offer : offer.name) === tool);
}

/** An agent that a prompt offers as a tool needs a description, by which a model chooses it. */
function checkOffers(project: Project, findings: Findings): void {
  const agents = new Map(project.agents.map((agent) => [agent.name, agent]));
  const taken = new Set([...project.tools, ...project.prompts].map(({ name }) => name));
  for (const { file, value } of project.prompts) {
    for (const [index, tool] of (value.tools ?? []).entries()) {
      const agent = typeof tool === "string" && !taken.has(tool) ? agents.get(tool) : undefined;
      if (!agent || isText(agent.value.toolDescription) || agent.value.exposeAsTool) continue;
      const described = isText(agent.value.description);
      const report = described ? findings.warning : findings.error;
      report({
        code: "missing_tool_description",
        file,
        path: ["tools", index],
        message: described
          ? `agent "${agent.name}" has no toolDescription, so models choose it by its description`
          : `agent "${agent.name}" has neither toolDescription nor description for models to choose it by`,
        suggestion: "toolDescription: …",
        notes: [`the agent is ${agent.file}`],
      });
    }
  }
}

function isText(value: string | undefined): boolean {
  return value !== undefined && isVisible(value);
}
