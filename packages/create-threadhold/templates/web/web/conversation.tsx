// Shows a thread: its messages while they stream, tool calls with their results, calls that wait for an approval, and a message form.
import { useState } from "react";
import { ThreadholdClientError } from "threadhold/client";
import { useThread, useThreadholdClient } from "threadhold/react";

import { MessageForm, SignInForm } from "./forms.tsx";
import { Message } from "./message.tsx";

interface ConversationProps {
  /** Null until the first message creates the thread. */
  threadId: string | null;
  onCreate: (threadId: string) => void;
  onToken: (token: string) => void;
}

export function Conversation({ threadId, onCreate, onToken }: ConversationProps) {
  const client = useThreadholdClient();
  const { messages, activeRunId, connection, pending, approve, decline, stop } = useThread(threadId);
  const [failure, setFailure] = useState<Error | null>(null);
  // A call may also wait for a result or an answer, which this page does not offer.
  const approvals = pending.filter(({ kind }) => kind === "approval");
  const error = failure ?? ("error" in connection ? connection.error : null);

  async function send(text: string) {
    setFailure(null);
    try {
      const id = threadId ?? (await client.threads.create({ agent_id: "assistant" })).id;
      onCreate(id);
      // Resolves when the run has ended. Until then useThread shows the answer as it streams.
      const run = await client.thread(id).send(text);
      if (run.error !== null) setFailure(new Error(run.error.message));
    } catch (thrown) {
      setFailure(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  if (error instanceof ThreadholdClientError && error.code === "unauthorized") return <SignInForm onToken={onToken} />;
  return (
    <main>
      {messages.map((message) => (
        <Message
          key={message.id}
          message={message}
          resultOf={(callId) => messages.find(({ tool_call_id }) => tool_call_id === callId)?.content}
        />
      ))}
      {approvals.map(({ id, name }) => (
        <p key={id} className="call">
          {name} waits for your approval. <button onClick={() => void approve(id)}>Approve</button>{" "}
          <button onClick={() => void decline(id, "The person declined.")}>Decline</button>
        </p>
      ))}
      {error === null ? null : <p role="alert">{error.message}</p>}
      <MessageForm onSend={send} onStop={activeRunId === null ? null : stop} />
    </main>
  );
}
