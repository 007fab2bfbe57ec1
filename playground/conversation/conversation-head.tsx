// The head of a thread: its title, status, usage and actions.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ReactElement } from "react";
import type { Thread, ThreadHandle } from "threadhold/client";
import { Link, useSearch } from "wouter";

import { otherOwner, useCaller } from "../access/use-caller.ts";
import { definitionPath } from "../agents/definition.ts";
import { filesAddress } from "../files/file-address.ts";
import { IconButton, IconLink } from "../kit/button.tsx";
import { count, money } from "../kit/figures.ts";
import { Icon } from "../kit/icon.tsx";
import { loadAgain } from "../kit/load-again.ts";
import { Menu } from "../kit/menu.tsx";
import { StatusMark } from "../kit/status.tsx";
import { listSearch } from "../threads/thread-filter.ts";
import { threadPath, useAgentTitle, useNameOf } from "../threads/thread-title.ts";
import { useThreadMenu } from "../threads/use-thread-menu.tsx";
import { tracePath } from "../trace/trace-path.ts";
import { useFigures } from "./use-figures.ts";

import css from "./conversation.module.css";

interface ConversationHeadProps {
  thread: Thread;
  handle: ThreadHandle;
  logging: boolean;
  onLog: () => void;
  contextOpen: boolean;
  onContext: () => void;
  searching: boolean;
  onSearch: () => void;
  onChanged: () => void;
}

/** The link to the thread's files, with their number. */
function FilesLink({ handle }: { handle: ThreadHandle }): ReactElement {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ["files-stats", handle.id],
    queryFn: ({ signal }) => handle.files.stats({ signal }),
  });
  useEffect(
    () => handle.on("file_changed", () => void loadAgain(queries, ["files-stats", handle.id])),
    [handle, queries],
  );
  const number = data?.fileCount ?? 0;
  return (
    <Link href={filesAddress(handle.id, { path: "/", folder: true })} className={css["files"] ?? ""} title="Files">
      <Icon name="folder" />
      <span className={css["filesWord"]}>Files</span>
      {number === 0 ? null : <span className={css["figure"]}>{count(number)}</span>}
    </Link>
  );
}

export function ConversationHead({
  thread,
  handle,
  logging,
  onLog,
  contextOpen,
  onContext,
  searching,
  onSearch,
  onChanged,
}: ConversationHeadProps): ReactElement {
  const nameOf = useNameOf();
  const agentTitle = useAgentTitle();
  const owner = otherOwner(useCaller(), thread);
  const { entries, dialog } = useThreadMenu(thread, onChanged);
  const search = listSearch(useSearch());
  const { usage, cost } = useFigures(handle) ?? thread;
  const tokens = usage.input + usage.output;
  return (
    <header className={css["head"]}>
      <Link
        href={`/${search === "" ? "" : `?${search}`}`}
        className={css["back"] ?? ""}
        aria-label="Back to the threads"
      >
        <Icon name="back" />
      </Link>
      <div className={css["names"]}>
        <h1 className={css["title"]}>{nameOf(thread)}</h1>
        <p className={css["facts"]}>
          <StatusMark status={thread.status} shown />
          <Link href={definitionPath({ kind: "agent", name: thread.agent_id })} className={css["agent"] ?? ""}>
            {agentTitle(thread.agent_id)}
          </Link>
          {owner === null ? null : <span>Thread of {owner}</span>}
          {thread.parent === null ? null : (
            <Link href={threadPath(thread.parent.thread_id, search)}>Back to the thread that called it</Link>
          )}
          <span className={css["figure"]}>{count(tokens)} tokens</span>
          <span className={css["figure"]}>{money(cost)}</span>
        </p>
      </div>
      <IconButton
        id="turn-search"
        icon="search"
        label={searching ? "End the search" : "Search this conversation"}
        title={searching ? "End the search" : "Search this conversation (Ctrl F, ⌘ F)"}
        aria-pressed={searching}
        onClick={onSearch}
      />
      <IconLink icon="trace" label="Trace" href={tracePath(thread.id, undefined, search)} />
      <FilesLink handle={handle} />
      <IconButton
        id="turn-context"
        icon="context"
        label={contextOpen ? "Hide context" : "Show context"}
        title={`${contextOpen ? "Hide" : "Show"} context: what the next request contains (X)`}
        aria-pressed={contextOpen}
        onClick={onContext}
      />
      <IconButton
        id="turn-events"
        icon="events"
        label={logging ? "Hide events" : "Show events"}
        title={`${logging ? "Hide" : "Show"} events (E)`}
        aria-pressed={logging}
        onClick={onLog}
      />
      <Menu trigger={<IconButton icon="more" label="More about this thread" />} entries={entries} />
      {dialog}
    </header>
  );
}
