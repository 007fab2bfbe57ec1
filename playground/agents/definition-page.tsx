// The page of a definition: its facts, its relations to other definitions, and what prevents its use. It is updated
// while a developer edits the definitions.

import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useThreadholdClient } from "threadhold/react";
import { Link, useParams } from "wouter";

import { usePageTitle } from "../app/page-title.ts";
import { Icon } from "../kit/icon.tsx";
import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { CopyButton } from "../markdown/code-block.tsx";
import { AgentFacts, StartThread } from "./agent-facts.tsx";
import { definitionsPath, nameIn, sourceOf } from "./definition.ts";
import type { DefinitionSet, Kind, Reference } from "./definition.ts";
import { FindingList } from "./finding-list.tsx";
import { findingsOf } from "./findings.ts";
import { KindMark, kindText } from "./kind-mark.tsx";
import { MissingKeys } from "./missing-keys.tsx";
import { ModelFacts } from "./model-facts.tsx";
import { ModelTest } from "./model-test.tsx";
import { PromptFacts } from "./prompt-facts.tsx";
import { missingKeys } from "./readiness.ts";
import { RelationList } from "./relation-list.tsx";
import { callable } from "./relations.ts";
import type { Link as Relation } from "./relations.ts";
import { SkillFacts } from "./skill-facts.tsx";
import { SourceFacts } from "./source-facts.tsx";
import { SourceTool } from "./source-tool.tsx";
import { ToolFacts } from "./tool-facts.tsx";
import { useDefinitions, useFindings } from "./use-definitions.ts";

import css from "./definition.module.css";

export function DefinitionPage(): ReactElement {
  const { kind, name: part } = useParams<{ kind: Kind; name: string }>();
  const name = nameIn(part);
  usePageTitle(name);
  const { set, links, error, retry } = useDefinitions();
  const findings = findingsOf({ kind, name }, useFindings());
  const known =
    set !== undefined &&
    (set[`${kind}s`].some((one) => one.name === name) || (kind === "tool" && sourceOf(name, set) !== undefined));
  return (
    <div className={css["page"]}>
      <header className={css["head"]}>
        <Link href={definitionsPath} className={css["back"] ?? ""} aria-label="Back to the definitions">
          <Icon name="back" />
        </Link>
        <span className={css["kind"]}>
          <KindMark kind={kind} size={22} />
        </span>
        <div className={css["names"]}>
          <p className={css["over"]}>{kindText[kind].one}</p>
          <h1 className={css["title"]}>{name}</h1>
        </div>
      </header>
      <div className={css["body"]}>
        {error === null ? null : (
          <ErrorNote
            title={set === undefined ? "The definition could not be loaded" : "This may be out of date"}
            error={error}
            onRetry={retry}
          />
        )}
        <FindingList findings={findings} />
        {set === undefined ? error === null ? <LoadingNote what="the definition" /> : null : null}
        {set === undefined ? null : known ? (
          <Shown reference={{ kind, name }} set={set} links={links} />
        ) : (
          <Unknown reference={{ kind, name }} links={links} />
        )}
      </div>
    </div>
  );
}

interface ShownProps {
  reference: Reference;
  set: DefinitionSet;
  links: readonly Relation[];
}

function Shown({ reference, set, links }: ShownProps): ReactElement {
  const missing = missingKeys(reference, set, links);
  return (
    <>
      {aboutOf(reference, set) === "" ? null : <p className={css["lead"]}>{aboutOf(reference, set)}</p>}
      <File of={reference} set={set} />
      <MissingKeys missing={missing} />
      <Details reference={reference} set={set} links={links} ready={missing.length === 0} />
      <RelationList of={reference.kind === "tool" ? callable(reference.name, set) : reference} links={links} />
    </>
  );
}

function Details({ reference, set, links, ready }: ShownProps & { ready: boolean }): ReactElement | null {
  const { kind, name } = reference;
  switch (kind) {
    case "agent": {
      const agent = set.agents.find((one) => one.name === name);
      return agent === undefined ? null : (
        <>
          <StartThread agent={agent} ready={ready} />
          <AgentFacts agent={agent} />
        </>
      );
    }
    case "prompt": {
      const prompt = set.prompts.find((one) => one.name === name);
      return prompt === undefined ? null : <PromptFacts prompt={prompt} set={set} />;
    }
    case "model": {
      const model = set.models.find((one) => one.name === name);
      return model === undefined ? null : (
        <>
          <ModelFacts model={model} />
          <ModelTest key={name} model={model} />
        </>
      );
    }
    case "tool": {
      const tool = set.tools.find((one) => one.name === name);
      if (tool !== undefined) return <ToolFacts tool={tool} set={set} links={links} />;
      const source = sourceOf(name, set);
      if (source === undefined) return null;
      if (name === `${source.prefix}__*`) return <SourceFacts source={source} />;
      return <SourceTool name={name} source={source} set={set} links={links} />;
    }
    case "source": {
      const source = set.sources.find((one) => one.name === name);
      return source === undefined ? null : <SourceFacts source={source} />;
    }
    case "skill":
      return <SkillFacts name={name} />;
  }
}

/** The file of the definition, if the build reports it. */
function File({ of: { kind, name }, set }: { of: Reference; set: DefinitionSet }): ReactElement | null {
  const source = kind === "tool" ? sourceOf(name, set) : undefined;
  const file = source?.file ?? set[`${kind}s`].find((one) => one.name === name)?.file ?? null;
  if (file === null) return null;
  return (
    <p className={css["file"]}>
      Defined in <code>{file}</code> <CopyButton text={file} />
    </p>
  );
}

/** The description of a definition; empty if it has none. */
function aboutOf({ kind, name }: Reference, set: DefinitionSet): string {
  switch (kind) {
    case "agent": {
      const agent = set.agents.find((one) => one.name === name);
      const title = agent === undefined || agent.title === name ? "" : `${agent.title}. `;
      return `${title}${agent?.description ?? ""}`;
    }
    case "prompt":
      return set.prompts.find((one) => one.name === name)?.toolDescription ?? "";
    case "tool":
      return set.tools.find((one) => one.name === name)?.description ?? "";
    case "skill":
      return set.skills.find((one) => one.name === name)?.description ?? "";
    case "source":
    case "model":
      return "";
  }
}

/** Shown for an unknown name, with the server's suggestion of a similar one. */
function Unknown({ reference, links }: { reference: Reference; links: readonly Relation[] }): ReactElement {
  const { kind, name } = reference;
  const client = useThreadholdClient();
  const { error, refetch } = useQuery({
    queryKey: ["definition", kind, name],
    queryFn: async ({ signal }): Promise<null> => {
      await client.definitions[`${kind}s`].get(name, { signal });
      return null;
    },
    gcTime: 0,
  });
  if (error === null) return <LoadingNote what="the definition" />;
  return (
    <>
      <ErrorNote title={`The ${kind} “${name}” is not defined`} error={error} onRetry={() => void refetch()} />
      <p className={css["lead"]}>
        <Link href={definitionsPath}>See all definitions</Link>
      </p>
      {links.some(({ to }) => to.kind === kind && to.name === name) ? (
        <RelationList of={reference} links={links} />
      ) : null}
    </>
  );
}
