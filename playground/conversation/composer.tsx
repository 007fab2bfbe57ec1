// The place to speak: words, files by drop, paste or choice, and what is to happen while a run is at work.

import { useMutation, useMutationState } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ClipboardEvent, SubmitEvent, KeyboardEvent, ReactElement } from "react";
import type { NewMessage, ThreadHandle } from "threadhold/client";

import { useShortcuts } from "../app/shortcuts.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { bytes } from "../kit/figures.ts";
import { ErrorNote } from "../kit/note.tsx";
import { useObjectUrl } from "../kit/use-object-url.ts";
import { nameAfter } from "../threads/thread-title.ts";
import { keepUntilArrived, returnToDraft, useDraft } from "./message-drafts.ts";
import { useDraftedFiles } from "./use-drafted-files.ts";
import type { DraftedFile } from "./use-drafted-files.ts";
import { useFileDrop } from "./use-file-drop.ts";

import css from "./composer.module.css";

type When = "steer" | "queue" | "interrupt";

const choices: readonly { when: When; label: string; help: string }[] = [
  { when: "queue", label: "Queue", help: "Waits until the run is over" },
  { when: "steer", label: "Steer", help: "Joins the run before its next step" },
  { when: "interrupt", label: "Interrupt", help: "Stops the run and begins at once" },
];

/** What is sent. */
interface Said {
  content: string;
  files: readonly DraftedFile[];
  /** What is to happen where a run was at work. */
  meanwhile: When | null;
  /** It is what the thread is named after. */
  names: boolean;
}

interface ComposerProps {
  handle: ThreadHandle;
  activeRunId: string | null;
  /** The run waits for a person. */
  resting: boolean;
  /** Nothing was said yet, and nobody gave it a title: it is named after what is said first. */
  unnamed: boolean;
}

/** The composer. */
export function Composer({ handle, activeRunId, resting, unnamed }: ComposerProps): ReactElement {
  const [text, write] = useDraft(handle.id);
  const [when, setWhen] = useState<When>("queue");
  const field = useRef<HTMLTextAreaElement>(null);
  const choose = useRef<HTMLInputElement>(null);
  const drafted = useDraftedFiles(handle);
  const dropping = useFileDrop(drafted.add);
  const busy = activeRunId !== null;
  const send = useMutation({
    mutationKey: ["send", handle.id],
    // Whoever writes fast says a second thing before the first has arrived: one after the other.
    scope: { id: `send ${handle.id}` },
    mutationFn: async ({ content, files, meanwhile }: Said) => {
      const attachments = await drafted.attachments(files);
      const message: NewMessage = {
        content,
        ...(attachments.length === 0 ? {} : { attachments }),
        ...(meanwhile === null ? {} : { when: meanwhile }),
      };
      return handle.messages.post(message);
    },
    onMutate: ({ content }) => keepUntilArrived(handle.id, content),
    onSuccess: ({ message }, { files, names }, letGo) => {
      letGo();
      drafted.clear(files);
      if (names && message !== null) void nameAfter(handle, message);
    },
    // What could not be sent stands where it was written, before what was written since.
    onError: (_, { content }, letGo) => {
      letGo?.();
      returnToDraft(handle.id, content);
    },
  });
  // Those of a composer that was left and is there again are among them.
  const sends = useMutationState({
    filters: { mutationKey: ["send", handle.id] },
    select: ({ state: { status, error, variables } }) => ({
      status,
      error,
      waits: status === "pending" ? ((variables as Said | undefined)?.content ?? null) : null,
    }),
  });
  const sending = sends.some(({ status }) => status === "pending");
  const failure = sends.at(-1)?.error ?? null;
  const stop = useMutation({ mutationFn: () => handle.stop() });
  const empty = text.trim() === "" && drafted.files.length === 0;
  // Files stay until they are sent: they must not go twice.
  const blocked = empty || drafted.unfinished || (sending && drafted.files.length > 0);
  const submit = (event?: SubmitEvent): void => {
    event?.preventDefault();
    if (blocked) return;
    write("");
    send.mutate({ content: text, files: drafted.files, meanwhile: busy ? when : null, names: unnamed });
  };
  const press = (event: KeyboardEvent): void => {
    if (leads(event)) return event.preventDefault();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  const paste = (event: ClipboardEvent): void => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    drafted.add(event.clipboardData.files);
  };
  useEffect(() => {
    // Whoever goes from thread to thread by keys reads, and would type the next key.
    if (isReading(history.state)) document.getElementById("messages")?.focus({ preventScroll: true });
    else if (matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, []);
  useShortcuts({ "mod+.": () => (busy ? stop.mutate() : undefined), c: () => field.current?.focus() });
  return (
    <form className={css["composer"]} onSubmit={submit} aria-label="Say something" data-dropping={dropping}>
      {failure === null ? null : <ErrorNote title="The message was not sent" error={failure} />}
      {sends.map(({ waits }, at) =>
        waits === null ? null : (
          <p key={at} className={css["waits"]} role="status">
            Not sent yet: {waits}
          </p>
        ),
      )}
      {stop.error === null ? null : <ErrorNote title="The run was not stopped" error={stop.error} />}
      {drafted.files.length === 0 ? null : (
        <ul className={css["files"]} aria-label="Files to send">
          {drafted.files.map((one) => (
            <DraftedItem key={one.key} drafted={one} onRemove={() => drafted.remove(one.key)} />
          ))}
        </ul>
      )}
      <div className={css["field"]}>
        <textarea
          ref={field}
          id="composer"
          className={css["text"]}
          rows={1}
          placeholder={
            dropping ? "Drop the files here" : resting ? "Answer above, or write a message" : "Write a message"
          }
          aria-label="Message"
          value={text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={press}
          onPaste={paste}
        />
        <input
          ref={choose}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            drafted.add(event.target.files ?? []);
            event.target.value = "";
          }}
        />
        <div className={css["tools"]}>
          <IconButton icon="clip" label="Add files" onClick={() => choose.current?.click()} />
          {busy ? (
            <fieldset className={css["when"]}>
              <legend className="visually-hidden">While the run is at work</legend>
              {choices.map(({ when: one, label, help }) => (
                <label key={one} className={css["choice"]} title={help}>
                  <input
                    type="radio"
                    name="when"
                    className="visually-hidden"
                    checked={when === one}
                    onChange={() => setWhen(one)}
                  />
                  {label}
                </label>
              ))}
            </fieldset>
          ) : null}
          <span className={css["gap"]} />
          {busy ? (
            <Button icon="stop" disabled={stop.isPending} onClick={() => stop.mutate()}>
              <span className={css["word"]}>{stop.isPending ? "Stopping…" : "Stop"}</span>
            </Button>
          ) : null}
          <Button kind="primary" icon="send" type="submit" disabled={blocked}>
            <span className={css["word"]}>{sending ? "Sending…" : "Send"}</span>
          </Button>
        </div>
      </div>
    </form>
  );
}

function isReading(state: unknown): boolean {
  return typeof state === "object" && state !== null && "reading" in state;
}

/** Keys that lead from the words that are written to those that were said: a look back, and the way out. */
function leads({ key, shiftKey, ctrlKey, nativeEvent }: KeyboardEvent): boolean {
  const list = document.getElementById("messages");
  if (list === null || shiftKey || ctrlKey || nativeEvent.isComposing) return false;
  if (key === "Escape") list.focus({ preventScroll: true });
  else if (key === "PageUp") list.scrollBy({ top: -0.9 * list.clientHeight });
  else if (key === "PageDown") list.scrollBy({ top: 0.9 * list.clientHeight });
  else return false;
  return true;
}

function Thumbnail({ file }: { file: File }): ReactElement | null {
  const url = useObjectUrl(file);
  return url === null ? null : <img className={css["thumbnail"]} src={url} alt="" />;
}

function DraftedItem({
  drafted: { file, progress, error },
  onRemove,
}: {
  drafted: DraftedFile;
  onRemove: () => void;
}): ReactElement {
  return (
    <li className={css["file"]} data-failed={error !== null}>
      {file.type.startsWith("image/") ? <Thumbnail file={file} /> : null}
      <span className={css["name"]}>{file.name}</span>
      <span className={css["figure"]}>{error ?? bytes(file.size)}</span>
      {progress === null ? null : (
        <progress className={css["progress"]} value={progress} aria-label={`Upload of ${file.name}`} />
      )}
      <IconButton icon="close" label={`Remove ${file.name}`} onClick={onRemove} />
    </li>
  );
}
