// A message: who and when in the margin, on the thread; what was said beside it.

import { memo, useState } from "react";
import type { ReactElement } from "react";

import type { MessageView, ThreadHandle } from "#client/index.ts";

import { clock, iso } from "../kit/figures.ts";
import { MessageEditor } from "./message-editor.tsx";
import { MessageMenu } from "./message-menu.tsx";
import { PartView } from "./part-view.tsx";
import type { MessageRow } from "./rows.ts";

import css from "./message.module.css";

interface MessageItemProps {
  row: MessageRow;
  handle: ThreadHandle;
  running: boolean;
}

/** The message. */
export const MessageItem = memo(function MessageItem({ row, handle, running }: MessageItemProps): ReactElement {
  const { message, results, goesOn } = row;
  const [editing, setEditing] = useState(false);
  const who = speakerOf(message, row.under);
  const parts = message.parts;
  return (
    <article
      className={css["message"]}
      data-message={message.id}
      data-role={message.role}
      data-side={message.side ?? undefined}
      data-depth={Math.min(message.depth, 4)}
      data-streaming={message.streaming}
      data-goes-on={goesOn}
      aria-label={`${who}, ${clock(message.created_at)}`}
    >
      <div className={css["margin"]}>
        <span className={goesOn ? "visually-hidden" : css["who"]}>{who}</span>
        <time className={css["time"]} dateTime={iso(message.created_at)}>
          {clock(message.created_at)}
        </time>
      </div>
      <div className={css["body"]}>
        {editing ? (
          <MessageEditor handle={handle} message={message} onDone={() => setEditing(false)} />
        ) : (
          parts.map((part, at) => (
            <PartView
              // A part is its place in its message
              key={at}
              part={part}
              message={message}
              last={at === parts.length - 1}
              results={results}
              handle={handle}
            />
          ))
        )}
        {parts.length === 0 && message.streaming ? <p className={css["begins"]}>…</p> : null}
        <Ending message={message} />
      </div>
      {message.streaming || editing ? null : (
        <MessageMenu handle={handle} message={message} who={who} running={running} onEdit={() => setEditing(true)} />
      )}
    </article>
  );
});

/** Who speaks, in a word: below a call, whoever answers it. Of two models the second one's words are a user's to the first. */
function speakerOf({ role, side, name, depth }: MessageView, under: string | null): string {
  if (name !== null && role !== "tool") return name;
  switch (role) {
    case "user":
      if (depth > 0) return "Asked";
      return side === "b" ? "Side B" : "You";
    case "assistant":
      if (depth > 0) return under ?? "Sub-agent";
      return side === "b" ? "Side B" : "Agent";
    case "tool":
      return "Tool";
    case "system":
      return "System";
    case "extension":
      return "Note";
  }
}

function Ending({ message }: { message: MessageView }): ReactElement | null {
  switch (message.stop_reason) {
    case "aborted":
      return <p className={css["ending"]}>Stopped here; what was said is kept.</p>;
    case "error":
      return <p className={css["ending"]}>The answer broke off here.</p>;
    case "length":
      return <p className={css["ending"]}>The model's limit of length was reached here.</p>;
    case "content_filter":
      return <p className={css["ending"]}>The provider's filter ended the answer here.</p>;
    case "stop":
    case "tool_calls":
    case null:
      return null;
  }
}
