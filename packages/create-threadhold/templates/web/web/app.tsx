// The page: a conversation, whose thread the address names. A reload opens the same thread.
import { useMemo, useState } from "react";
import { ThreadholdClient } from "threadhold/client";
import { ThreadholdProvider } from "threadhold/react";

import { Conversation } from "./conversation.tsx";

/** The local server needs no token. A deployment accepts those of its secret API_TOKENS. */
const tokenKey = "token";

export function App() {
  const [token, setToken] = useState(() => localStorage.getItem(tokenKey));
  const [threadId, setThreadId] = useState(() => location.hash.slice(1) || null);
  const client = useMemo(() => new ThreadholdClient(token === null ? {} : { token }), [token]);

  const open = (id: string | null) => {
    history.replaceState(null, "", id === null ? location.pathname : `#${id}`);
    setThreadId(id);
  };
  const signIn = (given: string) => {
    localStorage.setItem(tokenKey, given);
    setToken(given);
  };
  return (
    <ThreadholdProvider client={client}>
      <header>
        <h1>my-app</h1>
        <button onClick={() => open(null)}>New conversation</button>
      </header>
      <Conversation key={token} threadId={threadId} onCreate={open} onToken={signIn} />
    </ThreadholdProvider>
  );
}
