// The page: the conversations at the side, and the open one, which the address names. A reload opens the same conversation.
import { useEffect, useMemo, useState } from "react";
import { ThreadholdClient, ThreadholdClientError } from "threadhold/client";
import { ThreadholdProvider, useThreads } from "threadhold/react";

import { ConversationList } from "./conversation-list.tsx";
import { Conversation } from "./conversation.tsx";
import { SignIn } from "./sign-in.tsx";

/** The agent of agents/agents/ that answers. */
export const agentName = "assistant";

/** The local server needs no token. A deployment accepts those of its secret API_TOKENS. */
const tokenKey = "token";

export function App() {
  const [token, setToken] = useState(() => localStorage.getItem(tokenKey));
  const client = useMemo(() => new ThreadholdClient(token === null ? {} : { token }), [token]);

  const signIn = (given: string) => {
    localStorage.setItem(tokenKey, given);
    setToken(given);
  };
  const signOut = () => {
    localStorage.removeItem(tokenKey);
    setToken(null);
  };
  return (
    <ThreadholdProvider key={token} client={client}>
      <Chat token={token} onToken={signIn} onSignOut={signOut} />
    </ThreadholdProvider>
  );
}

interface ChatProps {
  token: string | null;
  onToken: (token: string) => void;
  onSignOut: () => void;
}

function Chat({ token, onToken, onSignOut }: ChatProps) {
  const list = useThreads({ agent_id: agentName });
  const [threadId, open] = useAddress();
  const [isListOpen, setListOpen] = useState(false);
  // A keyboard continues in the list that covers the page of a phone.
  useEffect(() => {
    if (isListOpen) document.querySelector<HTMLElement>(".list button")?.focus();
  }, [isListOpen]);
  const choose = (id: string | null) => {
    open(id);
    setListOpen(false);
  };

  if (list.error instanceof ThreadholdClientError && list.error.code === "unauthorized")
    return <SignIn isRefused={token !== null} onToken={onToken} />;
  return (
    <div className="app" data-list={isListOpen ? "open" : "closed"}>
      <ConversationList
        list={list}
        openId={threadId}
        onOpen={choose}
        onClose={() => setListOpen(false)}
        onSignOut={token === null ? null : onSignOut}
      />
      <Conversation
        key={threadId}
        threadId={threadId}
        title={list.threads.find(({ id }) => id === threadId)?.title ?? null}
        onCreate={open}
        onShowList={() => setListOpen(true)}
      />
    </div>
  );
}

/** The id of the open conversation, which is the part of the address after #, and a function that opens another one. */
function useAddress(): [string | null, (id: string | null) => void] {
  const read = () => location.hash.slice(1) || null;
  const [id, setId] = useState(read);
  useEffect(() => {
    const follow = () => setId(read());
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  const open = (next: string | null) => {
    if (next === read()) return;
    history.pushState(null, "", next === null ? location.pathname : `#${next}`);
    setId(next);
  };
  return [id, open];
}
