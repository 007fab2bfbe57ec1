// The page of a thread: its head, its messages, calls that wait for a person, queued inputs, and the input; on request
// also the log of its events.

import { Suspense, lazy, useState } from "react";
import type { ReactElement } from "react";
import { ThreadholdClientError } from "threadhold/client";
import { useThread } from "threadhold/react";
import { Link } from "wouter";

import { usePageTitle } from "../app/page-title.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { useLogOpen } from "../events/use-chosen-event.ts";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { PartBoundary } from "../kit/part-boundary.tsx";
import { useNameOf } from "../threads/thread-title.ts";
import { Composer } from "./composer.tsx";
import { ConnectionNote } from "./connection-note.tsx";
import { useContextOpen } from "./context/use-context-open.ts";
import { useContextReload } from "./context/use-thread-context.ts";
import { ConversationHead } from "./conversation-head.tsx";
import { MessageList } from "./message-list.tsx";
import { ParticipantNamesContext, useParticipantNames } from "./participant-names.ts";
import { QueueList, useQueue } from "./queue-list.tsx";
import { MessageSearch } from "./search/message-search.tsx";
import { ShownMessage, useMessageQuery } from "./search/shown-message.ts";
import { ExecutionsContext, useExecutions } from "./use-executions.ts";

import css from "./conversation.module.css";

const ContextPanel = lazy(async () => ({ default: (await import("./context/context-panel.tsx")).ContextPanel }));
const PendingCalls = lazy(async () => ({ default: (await import("./pending-calls.tsx")).PendingCalls }));
const RequiredServers = lazy(async () => ({
  default: (await import("./required-servers.tsx")).RequiredServers,
}));
const EventLog = lazy(async () => ({ default: (await import("../events/event-log.tsx")).EventLog }));

export function ConversationPage({ id }: { id: string }): ReactElement {
  const used = useThread(id);
  const { thread, messages, activeRunId, connection, pending } = used;
  const nameOf = useNameOf();
  const queue = useQueue(used.handle);
  const names = useParticipantNames(thread?.agent_id ?? "", thread);
  const [logging, setLogging] = useLogOpen();
  const [contextOpen, setContextOpen] = useContextOpen();
  const [query, setQuery] = useMessageQuery();
  const searching = query.find !== null;
  const turnSearch = (): void => setQuery(searching ? { find: null, message: null } : { find: "", message: null });
  const executions = useExecutions(used.handle);
  useContextReload(used.handle);
  useShortcuts({
    e: () => setLogging(!logging),
    x: () => setContextOpen(!contextOpen),
    // While the search is open, the shortcut opens the browser's own search.
    ...(searching ? {} : { "mod+f": turnSearch }),
  });
  usePageTitle(thread === null ? "Thread" : nameOf(thread));
  const required = thread?.required_authorizations;
  // The card of a server stays after the person has connected.
  const [wasRequired, setWasRequired] = useState(false);
  if (required !== undefined && !wasRequired) setWasRequired(true);
  if (connection.state === "closed" && connection.error !== null && thread === null) {
    return <Refused error={connection.error} />;
  }
  if (thread === null) {
    return (
      <div className={css["page"]}>
        <LoadingNote page what="the thread" />
        {connection.state === "waiting" ? <ConnectionNote connection={connection} /> : null}
      </div>
    );
  }
  const count = Math.max(thread.message_count, messages.length);
  return (
    <div className={css["page"]} data-panel={logging || contextOpen}>
      <section className={css["talk"]} aria-label="Conversation">
        <ConversationHead
          thread={thread}
          handle={used.handle}
          logging={logging}
          onLog={() => setLogging(!logging)}
          contextOpen={contextOpen}
          onContext={() => setContextOpen(!contextOpen)}
          searching={searching}
          onSearch={turnSearch}
          onChanged={() => undefined}
        />
        {query.find === null ? null : (
          <MessageSearch handle={used.handle} find={query.find} shown={query.message} onChange={setQuery} />
        )}
        <ConnectionNote connection={connection} />
        <ParticipantNamesContext value={names}>
          <ExecutionsContext value={executions}>
            <ShownMessage value={query.message}>
              <MessageList
                handle={used.handle}
                live={messages}
                count={count}
                running={activeRunId !== null}
                repeatable={activeRunId === null && queue.data?.length === 0}
                onContext={() => setContextOpen(true)}
              />
            </ShownMessage>
          </ExecutionsContext>
        </ParticipantNamesContext>
        {wasRequired ? (
          <PartBoundary>
            <Suspense fallback={null}>
              <RequiredServers handle={used.handle} required={required ?? []} />
            </Suspense>
          </PartBoundary>
        ) : null}
        {pending.length === 0 ? null : (
          <PartBoundary>
            <Suspense fallback={<LoadingNote what="what waits for you" />}>
              <PendingCalls handle={used.handle} calls={pending} messages={messages} />
            </Suspense>
          </PartBoundary>
        )}
        <QueueList handle={used.handle} held={activeRunId === null} />
        <Composer handle={used.handle} activeRunId={activeRunId} waiting={pending.length > 0} />
      </section>
      {logging ? (
        <Suspense fallback={<LoadingNote what="the log" />}>
          <EventLog handle={used.handle} onClose={() => setLogging(false)} />
        </Suspense>
      ) : contextOpen ? (
        <Suspense fallback={<LoadingNote what="the context" />}>
          <ContextPanel
            handle={used.handle}
            messages={messages}
            onShow={(message) => setQuery({ message })}
            onClose={() => setContextOpen(false)}
          />
        </Suspense>
      ) : null}
    </div>
  );
}

function Refused({ error }: { error: Error }): ReactElement {
  usePageTitle("Not found");
  const missing = error instanceof ThreadholdClientError && error.code === "thread_not_found";
  if (!missing) return <ErrorNote page title="The thread cannot be shown" error={error} />;
  return (
    <EmptyNote page title="There is no such thread">
      It was deleted, or it belongs to another user. <Link href="/">Back to the start</Link>
    </EmptyNote>
  );
}
