// The playground as a whole: sign-in, and the page of each address.

import { Suspense, lazy } from "react";
import type { ReactElement } from "react";
import { Redirect, Route, Router, Switch, useLocation, useSearch } from "wouter";

import { AccessGate } from "../access/access.tsx";
import { cataloguePath, definitionRoute, definitionsPath, kindRoute } from "../agents/definition.ts";
import type { Kind } from "../agents/definition.ts";
import { filesRoute } from "../files/file-address.ts";
import { LoadingNote } from "../kit/note.tsx";
import { PartBoundary } from "../kit/part-boundary.tsx";
import { DeletionsProvider } from "../threads/deletions.tsx";
import { pagesPath } from "./place.ts";
import { ReachGate } from "./reach-gate.tsx";
import { Shell } from "./shell.tsx";
import { StartPage } from "./start-page.tsx";
import { ThreadPages } from "./thread-pages.tsx";
import { UnknownPage } from "./unknown-page.tsx";

const FilesPage = lazy(async () => {
  const { FilesPage: found } = await import("../files/files-page.tsx");
  return { default: found };
});
const InboxPage = lazy(async () => ({ default: (await import("../inbox/inbox-page.tsx")).InboxPage }));
const UsagePage = lazy(async () => {
  const { UsagePage: found } = await import("../usage/usage-page.tsx");
  return { default: found };
});
const ApiPage = lazy(async () => ({ default: (await import("../api-docs/api-page.tsx")).ApiPage }));
const DefinitionsPage = lazy(async () => ({
  default: (await import("../agents/definitions-page.tsx")).DefinitionsPage,
}));
const CataloguePage = lazy(async () => ({ default: (await import("../agents/catalogue-page.tsx")).CataloguePage }));
const DefinitionPage = lazy(async () => ({ default: (await import("../agents/definition-page.tsx")).DefinitionPage }));

export function App(): ReactElement {
  return (
    <Router base={pagesPath}>
      <Pages />
    </Router>
  );
}

function Pages(): ReactElement {
  const [path] = useLocation();
  return (
    <AccessGate>
      <ReachGate>
        <DeletionsProvider>
          <Shell>
            <PartBoundary at={path}>
              <Switch>
                <Route path="/">
                  <StartPage />
                </Route>
                <Route path="/threads/:id/trace">{({ id }) => <ThreadPages key={id} id={id} at="trace" />}</Route>
                <Route path="/threads/:id">{({ id }) => <ThreadPages key={id} id={id} at="conversation" />}</Route>
                <Route path={filesRoute}>
                  {({ id = "" }) => (
                    <Suspense fallback={<LoadingNote page what="the files" />}>
                      <FilesPage key={id} id={id} />
                    </Suspense>
                  )}
                </Route>
                <Route path="/inbox">
                  <Suspense fallback={<LoadingNote page what="the inbox" />}>
                    <InboxPage />
                  </Suspense>
                </Route>
                <Route path="/usage">
                  <Suspense fallback={<LoadingNote page what="usage" />}>
                    <UsagePage />
                  </Suspense>
                </Route>
                <Route path="/docs">
                  <Suspense fallback={<LoadingNote page what="the API's description" />}>
                    <ApiPage />
                  </Suspense>
                </Route>
                <Route path={kindRoute}>
                  <ToPage path={definitionsPath} />
                </Route>
                <Route path="/threads">
                  <ToPage path="/" />
                </Route>
                <Route path={definitionsPath}>
                  <Suspense fallback={<LoadingNote page what="definitions" />}>
                    <DefinitionsPage />
                  </Suspense>
                </Route>
                <Route path={cataloguePath}>
                  <Suspense fallback={<LoadingNote page what="the catalogue" />}>
                    <CataloguePage />
                  </Suspense>
                </Route>
                <Route path={definitionRoute}>
                  {({ kind, name }: { kind?: string; name?: string }) => (
                    <Suspense fallback={<LoadingNote page what="the definition" />}>
                      <DefinitionPage key={`${kind} ${name}`} kind={kind as Kind} part={name ?? ""} />
                    </Suspense>
                  )}
                </Route>
                <Route>
                  <UnknownPage />
                </Route>
              </Switch>
            </PartBoundary>
          </Shell>
        </DeletionsProvider>
      </ReachGate>
    </AccessGate>
  );
}

/** Leads to another address and keeps the search of this one. */
function ToPage({ path }: { path: string }): ReactElement {
  const search = useSearch();
  return <Redirect to={search === "" ? path : `${path}?${search}`} replace />;
}
