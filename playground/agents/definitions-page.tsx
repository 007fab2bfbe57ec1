// The page of all definitions: a graph of which definition uses which, and a list of the same relations, which is shown
// alone on a narrow page. A filter by name applies to both and is kept in the address.

import { Suspense, lazy, useDeferredValue, useMemo, useSyncExternalStore } from "react";
import type { ReactElement } from "react";
import { Link, useSearchParams } from "wouter";

import { usePageTitle } from "../app/page-title.ts";
import { FilterField } from "../kit/filter-field.tsx";
import { Icon } from "../kit/icon.tsx";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { DefinitionList } from "./definition-list.tsx";
import { cataloguePath, kinds } from "./definition.ts";
import type { DefinitionSet } from "./definition.ts";
import { FileList } from "./file-list.tsx";
import { FindingList } from "./finding-list.tsx";
import type { Finding } from "./findings.ts";
import { definitionGraph, filteredGraph } from "./graph/definition-graph.ts";
import { KindMark, kindText } from "./kind-mark.tsx";
import type { Link as Relation } from "./relations.ts";
import { useDefinitions, useFindings } from "./use-definitions.ts";

import css from "./definitions-page.module.css";

const GraphView = lazy(async () => {
  const { GraphView: found } = await import("./graph/graph-view.tsx");
  return { default: found };
});

export function DefinitionsPage(): ReactElement {
  usePageTitle("Definitions");
  const { set, links, error, retry } = useDefinitions();
  const findings = useFindings();
  const [search] = useSearchParams();
  const filter = search.get("name") ?? "";
  return (
    <div className={css["page"]}>
      <header className={css["head"]}>
        <Link href="/" className={css["back"] ?? ""} aria-label="Back to the start">
          <Icon name="back" />
        </Link>
        <h1 className={css["title"]}>Definitions</h1>
        <FilterField label="Filter by name" name="name" className={css["search"]} />
      </header>
      {error === null ? null : (
        <ErrorNote
          title={set === undefined ? "The definitions could not be loaded" : "This may be out of date"}
          error={error}
          onRetry={retry}
        />
      )}
      {set === undefined ? (
        error === null ? (
          <LoadingNote what="definitions" />
        ) : null
      ) : (
        <Shown set={set} links={links} findings={findings} filter={filter} />
      )}
    </div>
  );
}

interface ShownProps {
  set: DefinitionSet;
  links: readonly Relation[];
  findings: readonly Finding[];
  filter: string;
}

function Shown({ set, links, findings, filter }: ShownProps): ReactElement {
  const wide = useWidePage();
  const wanted = useDeferredValue(filter);
  const whole = useMemo(() => definitionGraph({ set, links, findings }), [set, links, findings]);
  const graph = useMemo(() => filteredGraph(whole, wanted), [whole, wanted]);
  if (whole.nodes.length === 0) {
    return (
      <EmptyNote title="Nothing is defined yet">
        Put an agent into <code>agents/agents/</code>, its prompt into <code>agents/prompts/</code> and its model into{" "}
        <code>agents/models/</code>; <code>npm run new</code> writes them for you.
      </EmptyNote>
    );
  }
  return (
    <>
      <FindingList findings={findings} />
      {graph.nodes.length === 0 ? (
        <EmptyNote title="No matches">No definition has “{wanted}” in its name.</EmptyNote>
      ) : null}
      {wide && graph.nodes.length > 0 ? (
        <Suspense fallback={<LoadingNote what="the graph" />}>
          <GraphView graph={graph} legend={<Legend />} />
        </Suspense>
      ) : null}
      <DefinitionList graph={graph} links={links} />
      <FileList set={set} filter={wanted} />
      <p className={css["more"]}>
        <Link href={cataloguePath}>Search the catalogue of models</Link>
      </p>
    </>
  );
}

function Legend(): ReactElement {
  return (
    <p className={css["legend"]}>
      {kinds.map((kind) => (
        <span key={kind} className={css["key"]}>
          <KindMark kind={kind} size={14} />
          {kindText[kind].one}
        </span>
      ))}
      <span className={css["hint"]}>Arrow keys follow the edges</span>
    </p>
  );
}

/** Narrower pages show the list alone, since the graph would be too small to read. */
const wide = matchMedia("(min-width: 60rem)");

function subscribeWidth(listener: () => void): () => void {
  wide.addEventListener("change", listener);
  return () => wide.removeEventListener("change", listener);
}

/** Whether the page is wide enough for a readable graph. */
function useWidePage(): boolean {
  return useSyncExternalStore(subscribeWidth, () => wide.matches);
}
