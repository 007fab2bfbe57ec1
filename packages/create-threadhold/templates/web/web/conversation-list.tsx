// The list of conversations, which the server keeps current, also for changes in other tabs. Each can be renamed and deleted.
import { useState } from "react";
import type { FormEvent } from "react";
import type { Thread } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";
import type { UsedThreads } from "threadhold/react";

import { Icon } from "./icon.tsx";
import { ThemeButton } from "./theme.tsx";

interface ConversationListProps {
  list: UsedThreads;
  openId: string | null;
  onOpen: (id: string | null) => void;
  /** Closes the list on a phone, where it covers the page. */
  onClose: () => void;
  /** Forgets the token; null if there is none. */
  onSignOut: (() => void) | null;
}

export function ConversationList({ list, openId, onOpen, onClose, onSignOut }: ConversationListProps) {
  const { threads, loading, error } = list;
  return (
    <>
      <button className="backdrop" aria-label="Close the list" onClick={onClose} />
      <nav className="list" aria-label="Conversations" onKeyDown={(event) => event.key === "Escape" && onClose()}>
        <header>
          <strong>my-app</strong>
          <ThemeButton />
          {onSignOut === null ? null : <button onClick={onSignOut}>Sign out</button>}
        </header>
        <button className="primary" onClick={() => onOpen(null)}>
          <Icon name="plus" /> New conversation
        </button>
        {error === null ? null : <p role="alert">The list is not current: {error.message}</p>}
        {!loading && threads.length === 0 ? <p className="quiet">Your conversations will be here.</p> : null}
        <ul>
          {threads.map((thread) => (
            <Row
              key={thread.id}
              thread={thread}
              isOpen={thread.id === openId}
              onOpen={() => onOpen(thread.id)}
              onDeleted={() => thread.id === openId && onOpen(null)}
            />
          ))}
        </ul>
        {list.hasMore ? <button onClick={list.loadMore}>Show more</button> : null}
      </nav>
    </>
  );
}

interface RowProps {
  thread: Thread;
  isOpen: boolean;
  onOpen: () => void;
  onDeleted: () => void;
}

function Row({ thread, isOpen, onOpen, onDeleted }: RowProps) {
  const client = useThreadholdClient();
  const [isRenaming, setRenaming] = useState(false);
  const title = thread.title ?? "Untitled";
  const waits = thread.pending_tool_calls.length > 0;

  const rename = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get("title")).trim();
    setRenaming(false);
    if (given !== "" && given !== title)
      client.threads.patch(thread.id, { title: given }).catch(showFailure("renamed"));
  };
  const remove = () => {
    if (!confirm(`Delete “${title}” with all its messages?`)) return;
    client.threads.delete(thread.id).then(onDeleted, showFailure("deleted"));
  };
  if (isRenaming)
    return (
      <li>
        <form onSubmit={rename} onBlur={(event) => event.currentTarget.requestSubmit()}>
          <input
            name="title"
            aria-label="New title"
            defaultValue={title}
            maxLength={200}
            autoFocus
            onKeyDown={(event) => event.key === "Escape" && setRenaming(false)}
          />
        </form>
      </li>
    );
  return (
    <li>
      <button className="row" aria-current={isOpen ? "page" : undefined} title={title} onClick={onOpen}>
        <span>{title}</span>
        {waits ? <em>waits for you</em> : thread.active_run_id === null ? null : <em>answers…</em>}
      </button>
      <button className="icon" aria-label={`Rename ${title}`} onClick={() => setRenaming(true)}>
        <Icon name="pencil" />
      </button>
      <button className="icon" aria-label={`Delete ${title}`} onClick={remove}>
        <Icon name="trash" />
      </button>
    </li>
  );
}

const showFailure = (change: "renamed" | "deleted") => (error: Error) =>
  alert(`The conversation could not be ${change}: ${error.message}`);
