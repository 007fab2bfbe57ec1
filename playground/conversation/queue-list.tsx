// The queued inputs: they can be read, edited, reordered and removed until their run starts.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { SubmitEvent, ReactElement } from "react";
import { flushSync } from "react-dom";
import type { QueuedInput, ThreadHandle } from "threadhold/client";

import { Button, IconButton } from "../kit/button.tsx";
import { loadAgain } from "../kit/load-again.ts";
import { ErrorNote } from "../kit/note.tsx";
import { useFocusAfterRemoval } from "../kit/use-focus-after-removal.ts";
import { isVisible } from "../kit/visible-text.ts";

import css from "./queue.module.css";

/** The waiting inputs; undefined until they are loaded. */
export function useQueue(handle: ThreadHandle) {
  return useQuery({
    queryKey: ["queue", handle.id],
    queryFn: async ({ signal }) => (await handle.queue.list({}, { signal })).items,
  });
}

interface QueueListProps {
  handle: ThreadHandle;
  /** No run is active: a stop paused the queue. */
  held: boolean;
}

/** The list. Renders nothing if no input waits. */
export function QueueList({ handle, held }: QueueListProps): ReactElement | null {
  const queries = useQueryClient();
  const { data, error, refetch } = useQueue(handle);
  const go = useMutation({ mutationFn: () => handle.runs.post() });
  useEffect(() => {
    const leaves = (["queue_changed", "run_start", "run_end", "snapshot"] as const).map((type) =>
      handle.on(type, () => void loadAgain(queries, ["queue", handle.id])),
    );
    return () => {
      for (const leave of leaves) leave();
    };
  }, [handle, queries]);
  if (error !== null)
    return <ErrorNote title="The waiting messages could not be read" error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <section className={css["queue"]} aria-label="Waiting messages">
      <header className={css["head"]}>
        <h2 className={css["title"]}>
          {data.length === 1 ? "1 message is waiting" : `${data.length} messages are waiting`}
        </h2>
        {held ? (
          <Button small kind="primary" disabled={go.isPending} onClick={() => go.mutate()}>
            {go.isPending ? "Starting…" : "Continue"}
          </Button>
        ) : null}
      </header>
      {go.error === null ? null : <ErrorNote title="The waiting messages were not started" error={go.error} />}
      <ol>
        {data.map((input, at) => (
          <QueueItem
            key={input.id}
            handle={handle}
            input={input}
            at={at}
            count={data.length}
            onChanged={() => void refetch()}
          />
        ))}
      </ol>
    </section>
  );
}

interface QueueItemProps {
  handle: ThreadHandle;
  input: QueuedInput;
  at: number;
  count: number;
  onChanged: () => void;
}

const whenWords = { queue: "next", steer: "joins the run", interrupt: "interrupts" } as const;

function QueueItem({ handle, input, at, count, onChanged }: QueueItemProps): ReactElement {
  const words = input.message?.content ?? (input.message === null ? "Continues without a message" : "Files only");
  const [text, setText] = useState<string | null>(null);
  const item = useRef<HTMLLIElement>(null);
  useFocusAfterRemoval(item, ({ nextElementSibling: next, previousElementSibling: before }) => {
    const other = (next ?? before)?.querySelector<HTMLElement>("button:last-child");
    return other ?? document.getElementById("composer");
  });
  const close = (): void => {
    flushSync(() => setText(null));
    item.current?.querySelector<HTMLElement>("[data-edits]")?.focus();
  };
  const change = useMutation({
    mutationFn: (next: { content?: string; position?: number }) => handle.queue.patch(input.id, next),
    onSuccess: () => {
      if (text !== null) close();
    },
    onSettled: onChanged,
  });
  const remove = useMutation({ mutationFn: () => handle.queue.delete(input.id), onSettled: onChanged });
  const busy = change.isPending || remove.isPending;
  const error = change.error ?? remove.error;
  const submit = (event: Pick<SubmitEvent, "preventDefault">): void => {
    event.preventDefault();
    if (text !== null && isVisible(text)) change.mutate({ content: text });
  };
  return (
    <li ref={item} className={css["item"]}>
      <span className={css["when"]}>{whenWords[input.when]}</span>
      {text === null ? (
        <p className={css["words"]}>{words}</p>
      ) : (
        <form className={css["edit"]} onSubmit={submit}>
          <textarea
            className={css["input"]}
            aria-label="Text of the waiting message"
            autoFocus
            rows={Math.min(8, text.split("\n").length)}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") close();
              else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
            }}
          />
          <Button small kind="primary" type="submit" disabled={busy || !isVisible(text)}>
            Save
          </Button>
          <Button small kind="quiet" onClick={close}>
            Cancel
          </Button>
        </form>
      )}
      <span className={css["buttons"]}>
        <IconButton
          icon="up"
          label="Move up"
          disabled={busy || at === 0}
          onClick={() => change.mutate({ position: at - 1 })}
        />
        <IconButton
          icon="down"
          label="Move down"
          disabled={busy || at === count - 1}
          onClick={() => change.mutate({ position: at + 1 })}
        />
        <IconButton
          icon="edit"
          label="Edit"
          data-edits
          disabled={busy || input.message?.content == null}
          onClick={() => setText(input.message?.content ?? "")}
        />
        <IconButton icon="close" label="Take out" disabled={busy} onClick={() => remove.mutate()} />
      </span>
      {error === null ? null : <ErrorNote title="The waiting message was not changed" error={error} />}
    </li>
  );
}
