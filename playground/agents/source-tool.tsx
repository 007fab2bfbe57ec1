// The page of a tool of a source, such as an MCP server: the tool as the server describes it, with a form to call it.

import type { ReactElement } from "react";

import { EmptyNote } from "../kit/note.tsx";
import { Facts, Part } from "./definition-facts.tsx";
import { DefinitionLink } from "./definition-link.tsx";
import type { DefinitionSet, Source } from "./definition.ts";
import type { Link } from "./relations.ts";
import { SourceTrouble } from "./source-facts.tsx";
import { ToolFacts } from "./tool-facts.tsx";
import { useSource } from "./use-source.ts";

import css from "./definition.module.css";

interface SourceToolProps {
  name: string;
  source: Source;
  set: DefinitionSet;
  links: readonly Link[];
}

/** Shows the tool once its source is loaded. */
export function SourceTool({ name, source, set, links }: SourceToolProps): ReactElement {
  const loaded = useSource(source.name, { atOnce: true });
  const { state } = loaded;
  const tool = state?.tools.find((one) => one.name === name);
  return (
    <>
      {tool === undefined ? null : <p className={css["about"]}>{tool.description}</p>}
      <Part title="Source">
        <Facts facts={[["Tool of", <DefinitionLink key="source" kind="source" name={source.name} />]]} />
      </Part>
      <SourceTrouble name={source.name} loaded={loaded} />
      {tool === undefined ? null : <ToolFacts tool={tool} set={set} links={links} />}
      {tool === undefined && state?.error === null ? (
        <EmptyNote title="The source does not list this tool">
          An API with more than 40 operations lists two tools, which find and call its operations. In any other case the
          server has renamed or removed the tool: load the tools of the source again.
        </EmptyNote>
      ) : null}
    </>
  );
}
