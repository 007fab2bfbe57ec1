// The page of the API, built from the deployment's OpenAPI document: routes by group, each with its parameters, bodies, responses and
// a request to copy. The part of the address after # is the name of the open route.

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import type { ReactElement } from "react";
import { useThreadholdClient } from "threadhold/react";
import { Link, useSearchParams } from "wouter";

import { usePageTitle } from "../app/page-title.ts";
import { apiPath } from "../app/place.ts";
import { FilterField } from "../kit/filter-field.tsx";
import { Icon } from "../kit/icon.tsx";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { filteredGroups, readApiDocument } from "./api-document.ts";
import type { ApiDocument } from "./api-document.ts";
import { RouteView } from "./route-view.tsx";

import css from "./api-page.module.css";

const address = `${apiPath}/api/~/openapi.json`;

export function ApiPage(): ReactElement {
  usePageTitle("API");
  const client = useThreadholdClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["openapi"],
    queryFn: async ({ signal }) => readApiDocument(await client.request("GET /api/openapi.json", { signal })),
    networkMode: "always",
    refetchOnReconnect: true,
  });
  return (
    <div className={css["page"]}>
      <header className={css["head"]}>
        <Link href="/" className={css["back"] ?? ""} aria-label="Back to the start">
          <Icon name="back" />
        </Link>
        <h1 className={css["title"]}>API</h1>
        {data === undefined ? null : <FilterField label="Filter routes" name="route" className={css["search"]} />}
      </header>
      {error === null ? null : (
        <ErrorNote title="The API's description could not be read" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined ? (
        error === null ? (
          <LoadingNote what="the API's description" />
        ) : null
      ) : (
        <Shown document={data} />
      )}
    </div>
  );
}

function Shown({ document: shown }: { document: ApiDocument }): ReactElement {
  const [search] = useSearchParams();
  const filter = useDeferredValue(search.get("route") ?? "");
  const groups = useMemo(() => filteredGroups(shown.groups, filter), [shown, filter]);
  const named = useHash();
  useEffect(() => {
    if (named !== "") document.getElementById(named)?.scrollIntoView({ block: "start" });
  }, [named]);
  return (
    <div className={css["body"]}>
      <p className={css["lead"]}>
        {shown.description} Version {shown.version}. <a href={address}>openapi.json</a> has the same for programs.
      </p>
      {groups.length === 0 ? (
        <EmptyNote title="No route matches">No route has “{filter}” in its path, its name or its summary.</EmptyNote>
      ) : null}
      {groups.map(({ name, description, routes }) => (
        // Not named, because a named section is a landmark: there would be one for each group, some with the name of another part of the page.
        <section key={name} className={css["group"]}>
          <h2 className={css["heading"]}>{name}</h2>
          <p className={css["about"]}>{description}</p>
          <ul>
            {routes.map((route) => (
              <RouteView key={route.id} route={route} root={shown.root} named={named === route.id} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** The part of the address after #. */
function useHash(): string {
  const [hash, setHash] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const read = (): void => setHash(location.hash.slice(1));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return hash;
}
