// The list of a thread's uploads under its tree: the progress of each, and the question for those that would replace a
// file.

import type { ReactElement } from "react";

import { Button, IconButton } from "../../kit/button.tsx";
import { useStore } from "../../kit/create-store.ts";
import { bytes } from "../../kit/figures.ts";
import { VisibleName } from "../../kit/visible-name.tsx";
import { visibleText } from "../../kit/visible-text.ts";
import { nameOf } from "../path.ts";
import type { Upload, UploadQueue } from "./upload-queue.ts";

import css from "./upload-list.module.css";

/** The list; renders nothing without uploads. */
export function UploadList({ queue }: { queue: UploadQueue }): ReactElement | null {
  const uploads = useStore(queue);
  if (uploads.length === 0) return null;
  const asking = uploads.filter(({ state }) => state === "asking");
  const done = uploads.filter(({ state }) => state === "done").length;
  return (
    <section className={css["uploads"]} aria-label="Uploads">
      <header className={css["head"]}>
        <h3 className={css["title"]}>Uploads</h3>
        <span className={css["figure"]} role="status">
          {done} of {uploads.length} done
        </span>
        {done === 0 ? null : (
          <Button small kind="quiet" onClick={() => queue.clear()}>
            Clear
          </Button>
        )}
      </header>
      {asking.length < 2 ? null : (
        <div className={css["all"]} role="group" aria-label={`All ${asking.length} that are there already`}>
          <span>{asking.length} are there already</span>
          <Button small onClick={() => asking.forEach(({ key }) => queue.replace(key))}>
            Replace all
          </Button>
          <Button small onClick={() => asking.forEach(({ key }) => queue.keepBoth(key))}>
            Keep all
          </Button>
          <Button small onClick={() => asking.forEach(({ key }) => queue.cancel(key))}>
            Skip all
          </Button>
        </div>
      )}
      <ul className={css["list"]}>
        {/* Uploads with a question come first. */}
        {[...asking, ...uploads.filter((one) => one.state !== "asking")].map((upload) => (
          <Item key={upload.key} upload={upload} queue={queue} />
        ))}
      </ul>
    </section>
  );
}

function Item({ upload, queue }: { upload: Upload; queue: UploadQueue }): ReactElement {
  const { key, path, size, loaded, state, error } = upload;
  const name = visibleText(nameOf(path));
  return (
    <li className={css["item"]} data-state={state}>
      <span className={css["name"]} title={visibleText(path)}>
        <VisibleName name={nameOf(path)} />
      </span>
      <span className={css["figure"]}>
        {state === "sending" ? `${bytes(loaded)} of ${bytes(size)}` : state === "done" ? "done" : bytes(size)}
      </span>
      <IconButton
        icon="close"
        label={state === "done" ? `Dismiss ${name}` : `Cancel ${name}`}
        onClick={() => queue.cancel(key)}
      />
      {state === "sending" || state === "waiting" ? (
        <progress
          className={css["progress"]}
          aria-label={`Uploading ${name}`}
          max={Math.max(size, 1)}
          value={size === 0 ? 0 : loaded}
        />
      ) : null}
      {state === "asking" ? (
        <div className={css["ask"]} role="group" aria-label={`${name} is there already`}>
          <p>There is one of this name already.</p>
          <Button small onClick={() => queue.replace(key)}>
            Replace
          </Button>
          <Button small onClick={() => queue.keepBoth(key)}>
            Keep both
          </Button>
          <Button small kind="quiet" onClick={() => queue.cancel(key)}>
            Skip
          </Button>
        </div>
      ) : null}
      {state === "failed" ? (
        <div className={css["ask"]} role="alert">
          <p>{error?.message}</p>
          <Button small onClick={() => queue.retry(key)}>
            Try again
          </Button>
        </div>
      ) : null}
    </li>
  );
}
