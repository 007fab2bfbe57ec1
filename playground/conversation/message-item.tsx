// A message: its author and time in the margin, its content next to them.

import { memo, use, useRef, useState } from "react";
import type { ReactElement } from "react";
import { flushSync } from "react-dom";
import type { MessageView, ThreadHandle } from "threadhold/client";

import { clock, clockOrDay, dayAndTime, iso } from "../kit/figures.ts";
import { useFocusAfterRemoval } from "../kit/use-focus-after-removal.ts";
import { SourceList, sourcesIn } from "./cited-pages.tsx";
import { ShortenedMessages } from "./context/shortened-messages.ts";
import { MessageEditor, isBeingEdited } from "./message-editor.tsx";
import { MessageMenu } from "./message-menu.tsx";
import { PartView } from "./part-view.tsx";
import { ParticipantNamesContext, authorName } from "./participant-names.ts";
import type { MessageRow } from "./rows.ts";
import { ShownMessage } from "./search/shown-message.ts";

import css from "./message.module.css";

interface MessageItemProps {
  row: MessageRow;
  handle: ThreadHandle;
  running: boolean;
  /** The message is shown under a call, where it has no actions. */
  nested?: boolean;
  /** The next request does not contain the message, because a compaction dropped it. */
  unsent?: boolean;
}

export const MessageItem = memo(function MessageItem({
  row,
  handle,
  running,
  nested = false,
  unsent = false,
}: MessageItemProps): ReactElement {
  const { message, results, lines, goesOn } = row;
  const [editing, setEditing] = useState(() => !nested && isBeingEdited(message));
  const article = useRef<HTMLElement>(null);
  const close = (): void => {
    flushSync(() => setEditing(false));
    // The focused field is removed, so the keyboard continues at the button that opened the editor.
    article.current?.querySelector<HTMLElement>(":scope > [aria-haspopup]")?.focus();
  };
  // Also for a row that the list removes because it is out of view.
  useFocusAfterRemoval(article, () => document.getElementById("messages"));
  const names = use(ParticipantNamesContext);
  const shown = use(ShownMessage) === message.id;
  const shortened = use(ShortenedMessages).has(message.id);
  const who = authorName(message, row.under, names);
  const parts = message.parts;
  const side = names.two ? (message.side?.toUpperCase() ?? null) : null;
  return (
    <article
      ref={article}
      className={css["message"]}
      data-message={message.id}
      data-shown={shown}
      data-role={message.role}
      data-side={message.side ?? undefined}
      data-two={side !== null}
      data-nested={nested}
      data-depth={nested ? 0 : Math.min(message.depth, 4)}
      data-streaming={message.streaming}
      data-goes-on={goesOn}
      data-unsent={unsent}
      aria-label={`${side === null ? who : `${who}, side ${side}`}, ${clock(message.created_at)}${message.edited_at === undefined ? "" : ", edited"}${unsent ? ", no longer sent" : shortened ? ", sent shortened" : ""}`}
    >
      <div className={css["margin"]}>
        <span className={goesOn ? "visually-hidden" : css["who"]}>
          {who}
          {side === null ? null : <span className={css["side"]}> {side}</span>}
        </span>
        <time className={css["time"]} dateTime={iso(message.created_at)} title={dayAndTime(message.created_at)}>
          {clockOrDay(message.created_at, Date.now())}
        </time>
      </div>
      <div className={css["body"]}>
        {editing ? (
          <MessageEditor handle={handle} message={message} answered={row.answeredAt !== null} onDone={close} />
        ) : (
          parts.map((part, at) => (
            <PartView
              // The index of a part identifies it.
              key={at}
              part={part}
              message={message}
              last={at === parts.length - 1}
              results={results}
              lines={lines}
              handle={handle}
            />
          ))
        )}
        <SourceList sources={sourcesIn({ sources: message.metadata["sources"] ?? null })} />
        <Ending message={message} />
        {message.edited_at === undefined || editing ? null : (
          <Edited at={message.edited_at} role={message.role} answeredAt={row.answeredAt} />
        )}
        {shortened ? (
          <p className={css["ending"]}>Sent shortened: the next request contains a part of this message.</p>
        ) : null}
      </div>
      {message.streaming || editing || nested ? null : (
        <MessageMenu handle={handle} message={message} who={who} running={running} onEdit={() => setEditing(true)} />
      )}
    </article>
  );
});

/** When the text was changed, and whether the answer below was written for an earlier text. */
function Edited({ at, role, answeredAt }: { at: number; role: MessageView["role"]; answeredAt: number | null }) {
  const isLate = role !== "assistant" && answeredAt !== null && answeredAt < at;
  return (
    <p className={css["edited"]} data-late={isLate}>
      Edited{" "}
      <time dateTime={iso(at)} title={dayAndTime(at)}>
        {clockOrDay(at, Date.now())}
      </time>
      {isLate ? ", after the answer below, which was written for the earlier text." : "."}
    </p>
  );
}

function Ending({ message }: { message: MessageView }): ReactElement | null {
  switch (message.stop_reason) {
    case "aborted":
      return <p className={css["ending"]}>Stopped here. The text so far is kept.</p>;
    case "error":
      return <p className={css["ending"]}>The answer broke off here.</p>;
    case "length":
      return <p className={css["ending"]}>The model reached its length limit here.</p>;
    case "content_filter":
      return <p className={css["ending"]}>The provider's filter ended the answer here.</p>;
    case "stop":
    case "tool_calls":
    case null:
      return null;
  }
}
