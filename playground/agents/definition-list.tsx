// The definitions as a list, by kind, each with the definitions that it uses: the content of the graph as text.

import type { ReactElement } from "react";

import { DefinitionLink } from "./definition-link.tsx";
import { keyOf, kinds } from "./definition.ts";
import type { Kind, Reference } from "./definition.ts";
import type { DefinitionGraph, GraphNode } from "./graph/definition-graph.ts";
import { kindText } from "./kind-mark.tsx";
import { relationText } from "./relations.ts";
import type { Link, Relation } from "./relations.ts";
import { SourceLine } from "./source-list.tsx";

import css from "./definitions-page.module.css";

interface DefinitionListProps {
  graph: DefinitionGraph;
  links: readonly Link[];
}

export function DefinitionList({ graph, links }: DefinitionListProps): ReactElement {
  return (
    <div className={css["list"]}>
      {kinds.map((kind) => (
        <Section
          key={kind}
          kind={kind}
          links={links}
          nodes={graph.nodes.filter((one) => one.kind === kind && one.found)}
        />
      ))}
    </div>
  );
}

interface SectionProps {
  kind: Kind;
  nodes: readonly GraphNode[];
  links: readonly Link[];
}

function Section({ kind, nodes, links }: SectionProps): ReactElement | null {
  if (nodes.length === 0) return null;
  return (
    <section aria-labelledby={`list-of-${kind}`}>
      <h2 id={`list-of-${kind}`} className={css["kind"]}>
        {kindText[kind].many} <span className={css["count"]}>{nodes.length}</span>
      </h2>
      <ul>
        {nodes.map((node) => (
          <li key={node.id} className={css["entry"]}>
            <DefinitionLink kind={kind} name={node.name} />
            {node.trouble === null ? null : <span className={css["trouble"]}>{node.trouble}</span>}
            {kind === "source" ? (
              <div className={css["state"]}>
                <SourceLine name={node.name} />
              </div>
            ) : null}
            <Uses of={node} links={links} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Uses({ of, links }: { of: Reference; links: readonly Link[] }): ReactElement | null {
  const used = links.filter(({ from }) => keyOf(from) === keyOf(of));
  if (used.length === 0) return null;
  const relations = [...new Set(used.map(({ relation }) => relation))];
  return (
    <p className={css["uses"]}>
      {relations.map((relation: Relation) => (
        <span key={relation} className={css["relation"]}>
          <span className={css["how"]}>{relationText[relation].short}</span>
          {used
            .filter((link) => link.relation === relation)
            .map(({ to }) => (
              <DefinitionLink key={keyOf(to)} {...to} />
            ))}
        </span>
      ))}
    </p>
  );
}
