// The child thread in which another agent works on a call, shown under that call: its status, a link to its own page,
// and its messages while they arrive. It is subscribed only while it is visible.

import { use, useMemo, useState } from "react";
import type { ReactElement } from "react";
import { useThread } from "threadhold/react";
import { Link, useSearch } from "wouter";

import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { StatusMark } from "../kit/status.tsx";
import { threadPath } from "../threads/thread-title.ts";
import { NestedRowsContext } from "./nested-rows-context.ts";
import { ParticipantNamesContext, useParticipantNames } from "./participant-names.ts";
import { RowBuilder } from "./rows.ts";
import type { MessageRow } from "./rows.ts";
import { callsAtWork } from "./use-calls-at-work.ts";

import css from "./nested.module.css";

/** The fields of a child thread whose record is not loaded yet. */
const called = { parent: { thread_id: "", run_id: "", tool_call_id: "" }, user_id: null };

/** The child thread's conversation. */
export function ChildThread({ id, agent }: { id: string; agent: string }): ReactElement {
  const { thread, messages, tools, connection, handle } = useThread(id);
  const status = thread?.status ?? "idle";
  const search = useSearch();
  const names = useParticipantNames(thread?.agent_id ?? agent, thread ?? called);
  const [builder] = useState(() => new RowBuilder());
  const rows = useMemo(
    () => builder.build(messages, [], callsAtWork(tools)).filter((row): row is MessageRow => row.kind === "message"),
    [builder, messages, tools],
  );
  const Rows = use(NestedRowsContext);
  const failed = connection.state === "closed" ? connection.error : null;
  return (
    <section className={css["child"]} aria-label={`Thread of ${agent}`}>
      <p className={css["head"]}>
        <StatusMark status={status} shown />
        <Link href={threadPath(id, search)}>Open its thread</Link>
      </p>
      {failed !== null ? (
        <ErrorNote title="The thread cannot be shown" error={failed} />
      ) : thread === null ? (
        <LoadingNote what="its messages" />
      ) : (
        <ParticipantNamesContext value={names}>
          <Rows handle={handle} rows={rows} label={`What ${agent} says`} />
        </ParticipantNamesContext>
      )}
    </section>
  );
}
