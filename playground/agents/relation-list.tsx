// The definitions that a definition uses, and those that use it, as links.

import type { ReactElement } from "react";

import { Facts, Part } from "./definition-facts.tsx";
import { DefinitionLink } from "./definition-link.tsx";
import { keyOf } from "./definition.ts";
import type { Reference } from "./definition.ts";
import { relationText } from "./relations.ts";
import type { Link } from "./relations.ts";

import css from "./definition.module.css";

interface RelationListProps {
  of: Reference;
  links: readonly Link[];
}

export function RelationList({ of, links }: RelationListProps): ReactElement {
  const uses = links.filter(({ from }) => keyOf(from) === keyOf(of));
  const usedBy = links.filter(({ to }) => keyOf(to) === keyOf(of));
  return (
    <>
      {uses.length === 0 ? null : (
        <Part title="Uses">
          <Facts facts={grouped(uses, "to")} />
        </Part>
      )}
      <Part title="Used by">
        {usedBy.length === 0 ? <p className={css["aside"]}>{unused[of.kind]}</p> : null}
        <Facts facts={grouped(usedBy, "from")} />
      </Part>
    </>
  );
}

const unused = {
  agent: "No prompt refers to this agent. Start threads with it.",
  prompt:
    "No definition uses this prompt. Set it as the prompt of an agent's side, or add it to the tools of another prompt.",
  tool: "No prompt offers this tool. Add its name to the tools of a prompt.",
  source: "No prompt offers its tools. Add its prefix and __* to the tools of a prompt.",
  skill: "No prompt uses this skill. Add its name to the skills of a prompt.",
  model: "No definition uses this model. Set it as the model of a prompt, or add it to the fallbacks of another model.",
} as const;

function grouped(links: readonly Link[], end: "from" | "to"): [string, ReactElement][] {
  const relations = [...new Set(links.map(({ relation }) => relation))];
  return relations.map((relation) => [
    end === "to" ? relationText[relation].uses : relationText[relation].usedBy,
    <span key={relation} className={css["links"]}>
      {links
        .filter((link) => link.relation === relation)
        .map((link) => (
          <DefinitionLink key={keyOf(link[end])} {...link[end]} />
        ))}
    </span>,
  ]);
}
