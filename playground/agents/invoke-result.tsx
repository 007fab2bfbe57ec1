// The result of a call by hand: its text, its files, or its error, drawn as in a conversation.

import type { ReactElement } from "react";
import { Link } from "wouter";

import { Attachment } from "../conversation/attachment.tsx";
import { duration } from "../kit/duration.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { threadPath } from "../threads/thread-title.ts";
import type { Invocation } from "./use-invocation.ts";

import css from "./invoke.module.css";

export function InvokeResult({ invocation: { handle, result, tookMs } }: { invocation: Invocation }): ReactElement {
  const failed = result.status === "error";
  const files = result.attachments ?? [];
  return (
    <section className={css["result"]} data-status={result.status} aria-label="Result" aria-live="polite">
      <header className={css["outcome"]}>
        <strong>{failed ? "Failed" : "Done"}</strong>
        <span className={css["figure"]}>{duration(tookMs)}</span>
        <Link href={threadPath(handle.id)}>In this thread</Link>
      </header>
      {result.error === undefined ? null : <p className={css["wrong"]}>{result.error}</p>}
      {result.error !== undefined && /needs a person's consent/.test(result.error) ? (
        <p className={css["advice"]}>
          Only a call of a run can be approved. Let an agent call the tool in a thread, and approve the call there.
        </p>
      ) : null}
      {result.result === undefined || result.result === "" ? (
        failed || files.length > 0 ? null : (
          <p className={css["advice"]}>The tool returned no text.</p>
        )
      ) : (
        <div className={css["words"]}>
          <Markdown text={result.result} />
        </div>
      )}
      {files.map(({ id, path, name, mimeType, size, width, height }) => (
        <Attachment
          key={id}
          handle={handle}
          file={{ path, url: null, name, type: mimeType, size, width: width ?? null, height: height ?? null }}
        />
      ))}
    </section>
  );
}
