// The same chat with `useChat` and the default transport of `ai`, without the hook of Threadhold.

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import type { UIMessage } from "ai";
import { createRoot } from "react-dom/client";
import { ThreadholdClient } from "threadhold/client";

import { openThread } from "../open-thread.ts";
import { Conversation } from "./conversation.tsx";

const threadId = await openThread(new ThreadholdClient());
const root = `/api/ai-sdk/threads/${threadId}`;
const stored = (await (await fetch(`${root}/messages`)).json()) as UIMessage[];

function Chat() {
  const chat = useChat({
    id: threadId,
    messages: stored,
    resume: true,
    transport: new DefaultChatTransport({ api: `${root}/chat` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  // `stop` of `useChat` ends the request only. A separate route stops the run on the server.
  const stopRun = async () => {
    await fetch(`/api/threads/${threadId}/stop`, { method: "POST" });
    await chat.stop();
  };
  return <Conversation {...chat} stop={stopRun} />;
}

createRoot(document.querySelector("#root") ?? document.body).render(<Chat />);
