// A text file, as its source or in the rendered form of its kind. HTML and SVG files are texts like all others; a file
// is never rendered as a document.

import { useEffect } from "react";
import type { ReactElement } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { Button } from "../../kit/button.tsx";
import { bytes } from "../../kit/figures.ts";
import { ErrorNote, LoadingNote } from "../../kit/note.tsx";
import { visibleText } from "../../kit/visible-text.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { BytesNote } from "./bytes-note.tsx";
import { languageOf } from "./file-kind.ts";
import { NumberedCode } from "./numbered-code.tsx";
import { prettyJson } from "./pretty-json.ts";
import { mostShown, useFileText } from "./use-file-text.ts";

import css from "./preview.module.css";

interface TextPreviewProps {
  handle: ThreadHandle;
  file: FileRecord;
  /** `source` is the unformatted text. */
  as: "source" | "markdown" | "json";
  line: number | null;
}

export function TextPreview({ handle, file, as, line }: TextPreviewProps): ReactElement {
  const { state, text, read, more, reading, error, retry } = useFileText(handle, file);
  const pointsBeyond = line !== null && text !== null && more !== null && lines(text) < line;
  useEffect(() => {
    if (pointsBeyond && !reading && error === null) more?.();
  }, [pointsBeyond, reading, error, more]);
  if (state === "loading") return <LoadingNote what={visibleText(file.name)} />;
  if (state === "failed") return <ErrorNote title="The file could not be read" error={error} onRetry={retry} />;
  if (text === null) return <BytesNote file={file} why="Its bytes are no UTF-8 text." />;
  const pretty = as === "json" && more === null ? prettyJson(text) : null;
  return (
    <>
      {pretty !== null && !pretty.valid ? (
        <p className={css["remark"]} role="status">
          Shown as it is: it is not valid JSON. {pretty.why}
        </p>
      ) : null}
      {as === "markdown" ? (
        // A scrollable element has to be reachable by keyboard.
        <div className={css["page"]} tabIndex={0} role="region" aria-label={visibleText(file.name)}>
          <Markdown text={text} />
        </div>
      ) : (
        <NumberedCode
          text={pretty?.valid === true ? pretty.text : text}
          language={languageOf(file.name) ?? (as === "json" ? "json" : null)}
          label={visibleText(file.name)}
          line={line}
        />
      )}
      {error === null ? null : <ErrorNote title="The rest could not be read" error={error} onRetry={retry} />}
      {read >= file.size ? null : (
        <div className={css["more"]}>
          <span>
            {bytes(read)} of {bytes(file.size)} shown
          </span>
          {more === null ? (
            <span>{read >= mostShown ? "Download it to see the rest." : null}</span>
          ) : (
            <Button small disabled={reading} onClick={more}>
              {reading ? "Reading…" : "Show more"}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

function lines(text: string): number {
  return text.match(/\n/g)?.length ?? 0;
}
