// The page of the catalogue: models by a search, each with its window, prices and capabilities, and the file that defines it in a project.

import { useInfiniteQuery, keepPreviousData } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import type { ReactElement } from "react";
import type { RouteAnswer } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";
import { Link, useSearchParams } from "wouter";

import { usePageTitle } from "../app/page-title.ts";
import { Button } from "../kit/button.tsx";
import { count } from "../kit/figures.ts";
import { FilterField } from "../kit/filter-field.tsx";
import { Icon } from "../kit/icon.tsx";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { CodeBlock } from "../markdown/code-block.tsx";
import { definitionsPath } from "./definition.ts";
import { abilityText, dollars, sourceOf } from "./model-facts.tsx";

import css from "./catalogue-page.module.css";

type Known = RouteAnswer<"GET /api/model-catalogue">["models"][number];

export function CataloguePage(): ReactElement {
  usePageTitle("Catalogue of models");
  const [search] = useSearchParams();
  const query = useDeferredValue((search.get("query") ?? "").slice(0, 200));
  const { models, isLoading, error, retry, more } = useCatalogue(query);
  return (
    <div className={css["page"]}>
      <header className={css["head"]}>
        <Link href={definitionsPath} className={css["back"] ?? ""} aria-label="Back to the definitions">
          <Icon name="back" />
        </Link>
        <h1 className={css["title"]}>Catalogue of models</h1>
        <FilterField label="Search models" name="query" className={css["search"]} />
      </header>
      <div className={css["body"]}>
        <p className={css["about"]}>
          Search by provider, id and capability, such as “anthropic vision”. Open a model to see the lines of its
          definition.
        </p>
        {error === null ? null : (
          <ErrorNote title="The catalogue could not be searched" error={error} onRetry={retry} />
        )}
        {isLoading && error === null ? <LoadingNote what="the catalogue" /> : null}
        {models.length === 0 && !isLoading ? (
          <EmptyNote title="No matches">
            No model of the catalogue has all words of “{query}”. Any id of a provider can be used all the same:{" "}
            <code>npx threadhold new model</code>.
          </EmptyNote>
        ) : null}
        <ul className={css["list"]} aria-label="Models">
          {models.map((model) => (
            <li key={`${model.preset ?? model.provider} ${model.model}`}>
              <Entry model={model} />
            </li>
          ))}
        </ul>
        {more === null ? null : <Button onClick={more}>Show more models</Button>}
      </div>
    </div>
  );
}

function Entry({ model }: { model: Known }): ReactElement {
  const { provider, preset, model: id, context_window: window, inputPrice, outputPrice, capabilities } = model;
  const abilities = Object.entries(capabilities).flatMap(([name, can]) => (can === true ? [abilityText(name)] : []));
  const source = sourceOf(model.prices_source ?? model.limits_source ?? model.capabilities_source);
  return (
    <details className={css["entry"]}>
      <summary>
        <code className={css["id"]}>{id}</code> <span>{preset ?? provider}</span>
        <span className={css["facts"]}>
          <span>{window === null ? "window unknown" : `${count(window)} tokens`}</span>
          <span>
            {inputPrice === null || outputPrice === null
              ? "price unknown"
              : `${dollars(inputPrice)} in, ${dollars(outputPrice)} out per million`}
          </span>
          {abilities.length === 0 ? null : <span>{abilities.join(", ")}</span>}
        </span>
      </summary>
      <p className={css["about"]}>
        Write this to <code>{model.file}</code>
        {source === null ? null : <>; facts by {source}</>}:
      </p>
      <CodeBlock code={model.definition} language="ts" />
    </details>
  );
}

interface Catalogue {
  models: readonly Known[];
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
  /** Loads more; null if all models are loaded. */
  more: (() => void) | null;
}

const pageLength = 50;

function useCatalogue(query: string): Catalogue {
  const client = useThreadholdClient();
  const { data, isPending, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["catalogue", query],
    queryFn: ({ pageParam, signal }) =>
      client.request("GET /api/model-catalogue", {
        query: { query, limit: pageLength, ...(pageParam === null ? {} : { cursor: Number(pageParam) }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    // The catalogue changes with a deployment alone.
    staleTime: Infinity,
  });
  return {
    models: data?.pages.flatMap(({ models }) => models) ?? [],
    isLoading: isPending,
    error,
    retry: () => void refetch(),
    more: hasNextPage ? () => void fetchNextPage() : null,
  };
}
