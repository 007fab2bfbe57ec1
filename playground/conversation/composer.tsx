// The input at the end of a conversation: text, files by drop, paste or choice, and whether a message during a run is
// queued, steers the run or interrupts it.

import { useMutation, useMutationState } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ClipboardEvent, SubmitEvent, KeyboardEvent, ReactElement } from "react";
import type { NewMessage, ThreadHandle } from "threadhold/client";

import { useShortcuts } from "../app/shortcuts.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { bytes } from "../kit/figures.ts";
import { ErrorNote } from "../kit/note.tsx";
import { useObjectUrl } from "../kit/use-object-url.ts";
import { isVisible } from "../kit/visible-text.ts";
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

/** A message to send. */
interface Said {
  content: string;
  files: readonly DraftedFile[];
  /** What to do with the active run; null if there is none. */
  meanwhile: When | null;
}

interface ComposerProps {
  handle: ThreadHandle;
  activeRunId: string | null;
  /** The run waits for a person. */
  waiting: boolean;
}

export function Composer({ handle, activeRunId, waiting }: ComposerProps): ReactElement {
  const [text, write] = useDraft(handle.id);
  const [when, setWhen] = useState<When>("queue");
  const field = useRef<HTMLTextAreaElement>(null);
  const choose = useRef<HTMLInputElement>(null);
  const drafted = useDraftedFiles(handle);
  const dropping = useFileDrop(drafted.add);
  const busy = activeRunId !== null;
  const send = useMutation({
    mutationKey: ["send", handle.id],
    // Messages of one thread are sent one after the other, in the order in which the user sent them.
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
    onSuccess: (_, { files }, letGo) => {
      letGo();
      drafted.clear(files);
    },
    // A message that could not be sent returns to the input, before the text that was typed meanwhile.
    onError: (_, { content }, letGo) => {
      letGo?.();
      returnToDraft(handle.id, content);
    },
  });
  // Includes the messages of an earlier composer of this thread that are still being sent.
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
  const empty = !isVisible(text) && drafted.files.length === 0;
  // Files stay in the input until they are sent, so a second message must not send them again.
  const blocked = empty || drafted.unfinished || (sending && drafted.files.length > 0);
  const submit = (event?: SubmitEvent): void => {
    event?.preventDefault();
    if (blocked) return;
    write("");
    send.mutate({ content: text, files: drafted.files, meanwhile: busy ? when : null });
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
    // A user who moves between threads by keyboard is reading, so the focus goes to the messages and not to the input.
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
            dropping ? "Drop the files here" : waiting ? "Answer above, or write a message" : "Write a message"
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

/**
 * Handles the keys that lead from the input to the messages: Page Up and Page Down scroll them, Escape moves the focus
 * there. Returns whether the key was one of these.
 */
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
