// The latest threads of an agent.

import type { ReactElement } from "react";
import { useThreads } from "threadhold/react";
import { Link } from "wouter";

import { Ago } from "../kit/ago.tsx";
import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { StatusMark } from "../kit/status.tsx";
import { useHidden } from "../threads/deletions.tsx";
import { threadPath, useNameOf } from "../threads/thread-title.ts";

import css from "./definition.module.css";

export function LatestThreads({ agent }: { agent: string }): ReactElement {
  const { threads, loading, error, refresh } = useThreads({ agent_id: agent, limit: 6 });
  const nameOf = useNameOf();
  const hidden = useHidden();
  if (loading) return <LoadingNote what="threads" />;
  if (error !== null) return <ErrorNote title="The threads could not be loaded" error={error} onRetry={refresh} />;
  const shown = threads.filter(({ id }) => !hidden.has(id));
  if (shown.length === 0) return <p className={css["aside"]}>This agent has no threads yet. Start one above.</p>;
  return (
    <ul className={css["threads"]}>
      {shown.map((thread) => (
        <li key={thread.id}>
          <Link href={threadPath(thread.id)} className={css["thread"] ?? ""}>
            <StatusMark status={thread.status} />
            <span className={css["threadName"]}>{nameOf(thread)}</span>
            <Ago at={thread.updated_at} className={css["figure"]} />
          </Link>
        </li>
      ))}
    </ul>
  );
}
