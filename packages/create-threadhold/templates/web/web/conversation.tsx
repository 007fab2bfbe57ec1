// A conversation: its messages while they stream, calls that wait for a person, errors, and the message box.
import { useEffect, useRef, useState } from "react";
import { useThread, useThreadholdClient } from "threadhold/react";

import { agentName } from "./app.tsx";
import { Composer } from "./composer.tsx";
import { Icon } from "./icon.tsx";
import { Message } from "./message.tsx";
import { ToolCall } from "./tool-call.tsx";

interface ConversationProps {
  /** Null until the first message creates the thread. */
  threadId: string | null;
  title: string | null;
  onCreate: (threadId: string) => void;
  /** Shows the list of conversations on a phone. */
  onShowList: () => void;
}

export function Conversation({ threadId, title, onCreate, onShowList }: ConversationProps) {
  const client = useThreadholdClient();
  const thread = useThread(threadId);
  const { messages, activeRunId, connection, pending, runs } = thread;
  const [failure, setFailure] = useState<string | null>(null);
  /** The thread, also after its first message was refused, so that the next attempt uses the same one. */
  const created = useRef(threadId);

  /** Resolves when the message is stored. From then on useThread shows it, and the answer as it streams. */
  async function send(text: string) {
    setFailure(null);
    // The first message is the title, as in the playground.
    created.current ??= (await client.threads.create({ agent_id: agentName, title: text.slice(0, 80) })).id;
    await client.thread(created.current).messages.post({ content: text });
    onCreate(created.current);
  }
  const attempt = (action: Promise<unknown>) =>
    action.then(
      () => true,
      (error: Error) => {
        setFailure(error.message);
        return false;
      },
    );

  const lastRun = Object.values(runs).at(-1);
  const isAnswering = activeRunId !== null && pending.length === 0;
  const isSilent = isAnswering && messages.at(-1)?.streaming !== true;
  const shownCalls = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool_call" ? part.id : [])),
  );
  return (
    <main>
      <header>
        <button className="icon menu" aria-label="Show the conversations" onClick={onShowList}>
          <Icon name="menu" />
        </button>
        <h1>{title ?? (threadId === null ? "New conversation" : "Conversation")}</h1>
        {connection.state === "waiting" || connection.state === "offline" ? (
          <p role="status">No connection. The page tries again by itself.</p>
        ) : null}
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label="Messages">
        <div role="log" aria-busy={isAnswering}>
          {threadId === null ? <Welcome onSend={(text) => void attempt(send(text))} /> : null}
          {messages.map((message) => (
            <Message key={message.id} message={message} thread={thread} />
          ))}
          {/* A call of an agent or a prompt that was called as a tool is in no message of this list. */}
          {pending
            .filter(({ id }) => !shownCalls.includes(id))
            .map((call) => (
              <ToolCall key={call.id} call={{ ...call, arguments: call.arguments ?? {} }} thread={thread} />
            ))}
          {isSilent ? <p className="working">The assistant is working…</p> : null}
          {lastRun?.error == null ? null : <p role="alert">The answer failed: {lastRun.error.message}</p>}
          {connection.state === "closed" && connection.error !== null ? (
            <p role="alert">The conversation cannot be shown: {connection.error.message}</p>
          ) : null}
        </div>
      </div>
      {failure === null ? null : <p role="alert">That did not work: {failure}</p>}
      <Composer
        isWaiting={pending.length > 0}
        onSend={(text) => attempt(send(text))}
        onStop={activeRunId === null ? null : () => void attempt(thread.stop())}
      />
    </main>
  );
}

/** The agent's description and first messages, as its definition has them. */
function Welcome({ onSend }: { onSend: (text: string) => void }) {
  const client = useThreadholdClient();
  const [agent, setAgent] = useState<{ description: string | null; starters: readonly string[] } | null>(null);
  useEffect(() => {
    const leave = new AbortController();
    // Without the definition the page still works: a person can write a first message.
    client.definitions.agents.get(agentName, { signal: leave.signal }).then(setAgent, () => undefined);
    return () => leave.abort();
  }, [client]);
  return (
    <section className="welcome">
      <h2>How can I help?</h2>
      <p>{agent?.description}</p>
      {agent?.starters.map((starter) => (
        <button key={starter} onClick={() => onSend(starter)}>
          {starter}
        </button>
      ))}
    </section>
  );
}
