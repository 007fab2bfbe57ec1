// A tool call as a card: its name, its state, its arguments and its result. A call that needs an approval asks for it here.
import { useState } from "react";
import type { FormEvent } from "react";
import type { Json } from "threadhold/client";
import type { UsedThread } from "threadhold/react";

import { Icon } from "./icon.tsx";

interface ToolCallProps {
  call: { id: string; name: string; arguments: Json };
  thread: UsedThread;
}

export function ToolCall({ call, thread }: ToolCallProps) {
  const waiting = thread.pending.find(({ id }) => id === call.id);
  // The result is a message of its own.
  const answer = thread.messages.find(({ tool_call_id }) => tool_call_id === call.id);
  const result = answer?.result ?? thread.tools[call.id]?.result ?? null;
  const state = waiting
    ? "waiting"
    : result !== null
      ? result.status
      : thread.activeRunId === null
        ? "stopped"
        : "running";
  const text = result?.error ?? result?.result ?? answer?.content ?? thread.tools[call.id]?.output ?? "";
  return (
    <section className="call" data-state={state} aria-label={`${call.name}: ${words[state]}`}>
      <details open={waiting !== undefined ? true : undefined}>
        <summary>
          <Icon name={state} /> <code>{call.name}</code> <span>{words[state]}</span>
        </summary>
        <p className="label">Arguments</p>
        <Value value={call.arguments} />
        {text === "" ? null : (
          <>
            <p className="label">{state === "error" ? "Error" : "Result"}</p>
            <pre tabIndex={0}>{text}</pre>
          </>
        )}
      </details>
      {waiting?.kind === "approval" ? <Approval id={call.id} name={call.name} thread={thread} /> : null}
      {waiting !== undefined && waiting.kind !== "approval" ? (
        <p>This page has no form for this call. The playground has one; `npm run dev` serves it at /studio.</p>
      ) : null}
    </section>
  );
}

const words = {
  waiting: "waits for you",
  running: "runs…",
  success: "done",
  error: "failed",
  stopped: "stopped",
} as const;

/** The fields of an object, or any other value as JSON. */
function Value({ value }: { value: Json }) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return <pre tabIndex={0}>{show(value)}</pre>;
  const fields = Object.entries(value);
  if (fields.length === 0) return <p className="quiet">None</p>;
  return (
    <dl>
      {fields.map(([name, field]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{show(field)}</dd>
        </div>
      ))}
    </dl>
  );
}

const show = (value: Json | undefined) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function Approval({ id, name, thread }: { id: string; name: string; thread: UsedThread }) {
  const [isDeclining, setDeclining] = useState(false);
  const [isSent, setSent] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const decide = (decision: Promise<unknown>) => {
    setSent(true);
    decision.catch((error: Error) => {
      setSent(false);
      setFailure(error.message);
    });
  };
  const decline = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget).get("reason")).trim();
    decide(thread.decline(id, reason || "The person declined."));
  };
  return (
    <div className="approval">
      {isDeclining ? (
        <form onSubmit={decline}>
          <input name="reason" aria-label="Reason" placeholder="Why not? The assistant reads it." autoFocus />
          <button disabled={isSent}>Decline</button>
          <button type="button" onClick={() => setDeclining(false)}>
            Back
          </button>
        </form>
      ) : (
        <>
          <p>May the assistant run {name}?</p>
          <button className="primary" disabled={isSent} onClick={() => decide(thread.approve(id))}>
            Approve
          </button>
          <button disabled={isSent} onClick={() => setDeclining(true)}>
            Decline…
          </button>
        </>
      )}
      {failure === null ? null : <p role="alert">That did not work: {failure}</p>}
    </div>
  );
}
