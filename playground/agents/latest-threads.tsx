// The latest threads of an agent.

import type { ReactElement } from "react";
import { useThreads } from "threadhold/react";
import { Link } from "wouter";

import { Ago } from "../kit/ago.tsx";
import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { StatusMark } from "../kit/status.tsx";
import { useHidden } from "../threads/deletions.tsx";
import { endOfList, Unsearched } from "../threads/list-end.tsx";
import { threadPath, useNameOf } from "../threads/thread-title.ts";

import css from "./definition.module.css";

const mostThreads = 6;

export function LatestThreads({ agent }: { agent: string }): ReactElement {
  const list = useThreads({ agent_id: agent, limit: mostThreads });
  const { threads, loading, error, refresh, loadMore } = list;
  const nameOf = useNameOf();
  const hidden = useHidden();
  if (loading && threads.length === 0) return <LoadingNote what="threads" />;
  if (error !== null) return <ErrorNote title="The threads could not be loaded" error={error} onRetry={refresh} />;
  const shown = threads.filter(({ id }) => !hidden.has(id));
  const end = endOfList(list, { limit: mostThreads, shown: shown.length });
  if (shown.length === 0 && end === "unsearched") return <Unsearched found={false} onMore={loadMore} />;
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
