// The messages of a chat of AI SDK UI, its tool calls with the approvals that they need, and a form for the next message.

import type { UseChatHelpers } from "@ai-sdk/react";
import { getToolName, isToolUIPart } from "ai";
import type { UIMessage } from "ai";
import { useState } from "react";

import "../pages.css";

type Chat<M extends UIMessage> = Pick<
  UseChatHelpers<M>,
  "messages" | "status" | "error" | "sendMessage" | "stop" | "addToolApprovalResponse"
>;

export function Conversation<M extends UIMessage>(chat: Chat<M>) {
  const { messages, status, error, addToolApprovalResponse } = chat;
  return (
    <main>
      <h1>A chat of AI SDK UI on a thread</h1>
      {messages.map(({ id, role, parts }) => (
        <article key={id} data-role={role}>
          {parts.map((part, index) => (
            <Part key={index} part={part} decide={addToolApprovalResponse} />
          ))}
        </article>
      ))}
      {error === undefined ? null : <p role="alert">{error.message}</p>}
      <MessageForm chat={chat} isBusy={status === "submitted" || status === "streaming"} />
    </main>
  );
}

type Decide = Chat<UIMessage>["addToolApprovalResponse"];

function Part({ part, decide }: { part: UIMessage["parts"][number]; decide: Decide }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type === "file") return <p>{part.filename ?? part.url}</p>;
  if (!isToolUIPart(part)) return null;
  return (
    <div className="call" data-state={part.state}>
      {getToolName(part)} {JSON.stringify(part.input)}
      {part.state === "output-available" ? ` → ${JSON.stringify(part.output)}` : null}
      {part.state === "output-denied" ? " → declined" : null}
      {part.state === "approval-requested" ? (
        <div>
          <button onClick={() => void decide({ id: part.approval.id, approved: true })}>Approve</button>
          <button onClick={() => void decide({ id: part.approval.id, approved: false })}>Decline</button>
        </div>
      ) : null}
    </div>
  );
}

function MessageForm<M extends UIMessage>({ chat, isBusy }: { chat: Chat<M>; isBusy: boolean }) {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<FileList>();
  const send = () => {
    void chat.sendMessage(files === undefined ? { text } : { text, files });
    setText("");
    setFiles(undefined);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <input type="text" aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <input
        key={String(files === undefined)}
        type="file"
        aria-label="File"
        onChange={(event) => setFiles(event.target.files ?? undefined)}
      />
      {isBusy ? (
        <button type="button" onClick={() => void chat.stop()}>
          Stop
        </button>
      ) : (
        <button disabled={text.trim() === ""}>Send</button>
      )}
    </form>
  );
}
