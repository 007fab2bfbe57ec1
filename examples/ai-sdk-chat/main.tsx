// A chat with `useThreadholdChat`: the conversation, its answers and its tool calls are the thread's.

import { createRoot } from "react-dom/client";
import { ThreadholdClient } from "threadhold/client";
import { ThreadholdProvider } from "threadhold/react";
import { useThreadholdChat } from "threadhold/react/ai-sdk";

import { openThread } from "../open-thread.ts";
import { Conversation } from "./conversation.tsx";

function Chat({ threadId }: { threadId: string }) {
  const { isLoading, ...chat } = useThreadholdChat({ threadId });
  return isLoading ? <p>Loading…</p> : <Conversation {...chat} />;
}

const client = new ThreadholdClient();
const threadId = await openThread(client);
createRoot(document.querySelector("#root") ?? document.body).render(
  <ThreadholdProvider client={client}>
    <Chat threadId={threadId} />
  </ThreadholdProvider>,
);
