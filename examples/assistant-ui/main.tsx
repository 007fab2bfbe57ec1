// A thread with assistant-ui: `useThreadholdRuntime` gives its components the messages, the composer's actions and the calls.

import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { ThreadholdClient } from "threadhold/client";
import { ThreadholdProvider } from "threadhold/react";
import { useThreadholdRuntime } from "threadhold/react/assistant-ui";

import { openThread } from "../open-thread.ts";
import { Conversation } from "./conversation.tsx";

function Assistant({ threadId }: { threadId: string }) {
  const [error, setError] = useState<string | null>(null);
  const runtime = useThreadholdRuntime(threadId, { onError: (thrown) => setError(String(thrown)) });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Conversation />
      {error === null ? null : <p role="alert">{error}</p>}
    </AssistantRuntimeProvider>
  );
}

const client = new ThreadholdClient();
const threadId = await openThread(client);
createRoot(document.querySelector("#root") ?? document.body).render(
  <ThreadholdProvider client={client}>
    <Assistant threadId={threadId} />
  </ThreadholdProvider>,
);
