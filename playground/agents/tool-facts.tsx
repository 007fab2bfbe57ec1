// The facts of a tool on its page: its arguments, and a form to call it. Prompts and agents that are offered as tools
// use it too.

import { useMemo } from "react";
import type { ReactElement } from "react";

import { Facts, Part } from "./definition-facts.tsx";
import { DefinitionLink } from "./definition-link.tsx";
import { keyOf } from "./definition.ts";
import type { Agent, DefinitionSet, Tool } from "./definition.ts";
import { InvokeTool } from "./invoke-tool.tsx";
import { callable } from "./relations.ts";
import type { Link } from "./relations.ts";
import { SchemaTable } from "./schema-table.tsx";

import css from "./definition.module.css";

interface ToolFactsProps {
  tool: Tool;
  set: DefinitionSet;
  links: readonly Link[];
}

export function ToolFacts({ tool, set, links }: ToolFactsProps): ReactElement {
  const { name, kind, parameters, remote, result_schema, approval } = tool;
  const agents = useMemo(() => agentsWith(name, set, links), [name, set, links]);
  return (
    <>
      <Part title="Arguments">
        <SchemaTable schema={parameters} label={`Arguments of ${name}`} />
      </Part>
      {result_schema === null ? null : (
        <Part title="Result">
          <SchemaTable schema={result_schema} label={`Result of ${name}`} />
        </Part>
      )}
      <Part title="Run it">
        {approval === "conditional" ? (
          <p className={css["aside"]}>
            The definition decides for each call whether a person has to approve it. A call by hand that needs approval
            is refused.
          </p>
        ) : null}
        {kind === "tool" && !remote && approval !== "always" ? (
          <InvokeTool key={name} tool={tool} agents={agents} />
        ) : (
          <p className={css["aside"]}>
            {approval === "always"
              ? "A person has to approve each call, and only a run can ask for approval. Start a thread with an agent that can call it."
              : kind === "tool"
                ? "A client answers its calls, so the server cannot run it. In a thread, you can answer its calls by hand."
                : "It starts a nested loop, which needs a run. Start a thread with an agent that can call it."}
          </p>
        )}
      </Part>
      <Part title="Tool">
        <Facts
          facts={[
            ["Defined as", kind === "tool" ? null : <DefinitionLink key="defined" kind={kind} name={name} />],
            ["Approval", approvals[approval]],
            ["Runs", kind === "tool" ? (remote ? "in the client, which posts the result" : "on the server") : null],
          ]}
        />
      </Part>
    </>
  );
}

const approvals: Readonly<Record<Tool["approval"], string | null>> = {
  never: null,
  conditional: "a person approves the calls for which the definition asks for it",
  always: "a person approves each call",
};

/** All agents; those whose prompts offer the tool come first. */
function agentsWith(tool: string, set: DefinitionSet, links: readonly Link[]): Agent[] {
  const users = (key: string): string[] => links.filter(({ to }) => keyOf(to) === key).map(({ from }) => keyOf(from));
  const near = new Set(users(keyOf(callable(tool, set))).flatMap((key) => [key, ...users(key)]));
  const has = ({ name }: Agent): boolean => near.has(keyOf({ kind: "agent", name }));
  return [...set.agents.filter(has), ...set.agents.filter((agent) => !has(agent))];
}
