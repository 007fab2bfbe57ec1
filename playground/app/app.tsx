// The playground as a whole: sign-in, and the page of each address.

import { Suspense, lazy } from "react";
import type { ReactElement } from "react";
import { Redirect, Route, Router, Switch, useLocation, useSearch } from "wouter";

import { AccessGate } from "../access/access.tsx";
import { definitionsPath, kindRoute } from "../agents/definition.ts";
import { LoadingNote } from "../kit/note.tsx";
import { PartBoundary } from "../kit/part-boundary.tsx";
import { DeletionsProvider } from "../threads/deletions.tsx";
import { pages } from "./pages.ts";
import { pagesPath } from "./place.ts";
import { ReachGate } from "./reach-gate.tsx";
import { Shell } from "./shell.tsx";
import { StartPage } from "./start-page.tsx";
import { ThreadPages } from "./thread-pages.tsx";
import { UnknownPage } from "./unknown-page.tsx";

const loadedPages = pages.map(({ path, loading, load }) => ({
  path,
  loading,
  Page: lazy(async () => ({ default: await load() })),
}));

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
                <Route path={kindRoute}>
                  <ToPage path={definitionsPath} />
                </Route>
                <Route path="/threads">
                  <ToPage path="/" />
                </Route>
                {loadedPages.map(({ path: address, loading, Page }) => (
                  <Route key={String(address)} path={address}>
                    {(params) => (
                      <Suspense fallback={<LoadingNote page what={loading} />}>
                        <Page key={JSON.stringify(params)} />
                      </Suspense>
                    )}
                  </Route>
                ))}
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
