// A thread in the list.

import { memo, useRef } from "react";
import type { ReactElement } from "react";
import type { Thread } from "threadhold/client";
import { Link } from "wouter";

import { otherOwner, useCaller } from "../access/use-caller.ts";
import { Ago } from "../kit/ago.tsx";
import { IconButton } from "../kit/button.tsx";
import { count } from "../kit/figures.ts";
import { Menu } from "../kit/menu.tsx";
import { StatusMark } from "../kit/status.tsx";
import { useFocusAfterRemoval } from "../kit/use-focus-after-removal.ts";
import { previewText } from "./preview-text.ts";
import { threadPath, useAgentTitle, useNameOf } from "./thread-title.ts";
import { useThreadMenu } from "./use-thread-menu.tsx";

import css from "./thread-list-panel.module.css";

interface ThreadRowProps {
  thread: Thread;
  open: boolean;
  search: string;
  onChanged: () => void;
  onTag: (tag: string) => void;
}

/** The row: a link, a menu, and tags that filter. */
export const ThreadRow = memo(function ThreadRow({
  thread,
  open,
  search,
  onChanged,
  onTag,
}: ThreadRowProps): ReactElement {
  const nameOf = useNameOf();
  const agentTitle = useAgentTitle();
  const owner = otherOwner(useCaller(), thread);
  const title = nameOf(thread);
  const { entries, dialog } = useThreadMenu(thread, onChanged);
  const row = useRef<HTMLLIElement>(null);
  useFocusAfterRemoval(row, ({ nextElementSibling: next, previousElementSibling: before }) => {
    const other = (next ?? before)?.querySelector<HTMLElement>("a");
    return other ?? document.getElementById("thread-search");
  });
  return (
    <li ref={row} className={css["row"]} data-open={open} data-thread={thread.id}>
      <Link
        href={threadPath(thread.id, search)}
        className={css["link"] ?? ""}
        {...(open ? { "aria-current": "page" } : {})}
      >
        <span className={css["mark"]}>
          <StatusMark status={thread.status} />
        </span>
        <span className={css["name"]}>{title}</span>
        {thread.last_message == null ? null : (
          <span className={css["preview"]}>{previewText(thread.last_message)}</span>
        )}
        <span className={css["facts"]}>
          {owner === null ? null : <span className={css["owner"]}>{owner}</span>}
          <span className={css["agent"]}>{agentTitle(thread.agent_id)}</span>
          <Ago at={thread.updated_at} className={css["figure"]} />
          <span className={css["figure"]}>
            {count(thread.message_count)} {thread.message_count === 1 ? "message" : "messages"}
          </span>
        </span>
      </Link>
      <Menu
        trigger={<IconButton icon="more" label={`More about ${title}`} className={css["menu"] ?? ""} />}
        entries={entries}
      />
      {thread.tags.length === 0 ? null : (
        <div className={css["tags"]}>
          {thread.tags.map((tag) => (
            <button
              key={tag}
              type="button"
              className={css["tag"]}
              aria-label={`Show threads tagged ${tag}`}
              onClick={() => onTag(tag)}
            >
              {tag}
            </button>
          ))}
        </div>
      )}
      {dialog}
    </li>
  );
});
