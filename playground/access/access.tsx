// Holds the page's credentials. The page first tries the API with the token that the tab stores, or without a token. If the
// deployment refuses that, or refuses a request later, the sign-in form is shown.

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from "react";
import type { ReactElement, ReactNode } from "react";
import { ThreadholdClient, ThreadholdClientError } from "threadhold/client";
import { ThreadholdProvider } from "threadhold/react";

import { apiAddress } from "../app/place.ts";
import { LoadingNote } from "../kit/note.tsx";
import { ClosedPage } from "./closed-page.tsx";
import { keepToken, keptToken } from "./kept-token.ts";
import { SignInPage } from "./sign-in-page.tsx";

type State =
  | { state: "asking"; token: string | null }
  | { state: "open"; token: string | null; client: ThreadholdClient }
  | { state: "signed_out"; reason: string | null }
  | { state: "closed"; error: unknown };

interface Access {
  /** Whether the page uses a token, so that there is something to sign out of. */
  signedIn: boolean;
  signOut: () => void;
}

const Context = createContext<Access>({ signedIn: false, signOut: () => undefined });

/** How the page is signed in, and the function that signs it out. */
export function useAccess(): Access {
  return useContext(Context);
}

/** Renders its children once the deployment accepts the page's requests. */
export function AccessGate({ children }: { children: ReactNode }): ReactElement {
  const [state, setState] = useState<State>(() => ({ state: "asking", token: keptToken() }));
  const token = state.state === "asking" ? state.token : undefined;
  const refused = useCallback((reason: string | null) => {
    setState({ state: "signed_out", reason });
  }, []);

  useEffect(() => {
    if (token === undefined) return undefined;
    const leave = new AbortController();
    const client = clientOf(token, () => {
      // After one refusal for lack of authorisation every other request would be refused too.
      setState((before) => (before.state === "open" && before.client === client ? over : before));
    });
    client.definitions.agents.list({ signal: leave.signal }).then(
      () => setState({ state: "open", token, client }),
      (error: unknown) => {
        if (leave.signal.aborted) return;
        if (isUnauthorized(error))
          refused(token === null ? null : "This token is not accepted. Check that it is whole.");
        else setState({ state: "closed", error });
      },
    );
    return () => leave.abort();
  }, [token, refused]);

  const open = state.state === "open" ? state : null;
  const client = open?.client ?? null;
  // The cache is cleared when the caller changes, because one caller's data must not be shown to another.
  const [queries] = useState(queryClient);
  useEffect(() => {
    if (client === null) return undefined;
    return () => {
      client.close();
      queries.clear();
    };
  }, [client, queries]);
  useEffect(() => {
    if (state.state === "signed_out") keepToken(null);
  }, [state]);
  const access = useMemo<Access>(
    () => ({
      signedIn: open !== null && open.token !== null,
      signOut: () => refused(null),
    }),
    [open, refused],
  );

  switch (state.state) {
    case "asking":
      return <LoadingNote page what="the playground" />;
    case "signed_out":
      return (
        <SignInPage
          reason={state.reason}
          onToken={(given, keep) => {
            keepToken(keep ? given : null);
            setState({ state: "asking", token: given });
          }}
        />
      );
    case "closed":
      return <ClosedPage error={state.error} onRetry={() => setState({ state: "asking", token: keptToken() })} />;
    case "open":
      return (
        <Context.Provider value={access}>
          <QueryClientProvider client={queries}>
            <ThreadholdProvider client={state.client}>{children}</ThreadholdProvider>
          </QueryClientProvider>
        </Context.Provider>
      );
  }
}

const over: State = { state: "signed_out", reason: "The token is not accepted any more. Sign in again." };

function clientOf(token: string | null, onUnauthorized: () => void): ThreadholdClient {
  return new ThreadholdClient({
    url: apiAddress,
    ...(token === null ? {} : { token }),
    async fetch(url, init) {
      const answer = await fetch(url, init);
      if (answer.status === 401) onUnauthorized();
      return answer;
    },
  });
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ThreadholdClientError && error.code === "unauthorized";
}

/** The client has its own retries, and knows which requests may be repeated. */
function queryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: 10_000 }, mutations: { retry: false } },
  });
}
