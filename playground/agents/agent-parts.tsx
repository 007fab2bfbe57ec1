// One line with an agent's models and their tools, each linked to its page.

import type { ReactElement } from "react";
import { Link } from "wouter";

import { definitionPath } from "./definition.ts";
import type { Kind } from "./definition.ts";
import type { KnownAgent } from "./use-agents.ts";

import css from "./agent-parts.module.css";

/** Renders nothing for an agent whose prompt is unknown. */
export function AgentParts({ known: { models, tools } }: { known: KnownAgent }): ReactElement | null {
  if (models.length === 0) return null;
  return (
    <p className={css["parts"]}>
      <Names kind="model" label={models.length === 1 ? "Model" : "Models"} names={models} />
      {tools.length === 0 ? null : <Names kind="tool" label={tools.length === 1 ? "Tool" : "Tools"} names={tools} />}
    </p>
  );
}

function Names({ kind, label, names }: { kind: Kind; label: string; names: readonly string[] }): ReactElement {
  return (
    <span>
      {label}{" "}
      {names.map((name, index) => (
        <span key={name}>
          {index === 0 ? "" : ", "}
          <Link href={definitionPath({ kind, name })}>{name}</Link>
        </span>
      ))}
    </span>
  );
}
