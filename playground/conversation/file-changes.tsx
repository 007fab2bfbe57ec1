// The changes of a file that a call makes, as a diff: removed lines in red with `-`, added lines in green with `+`.

import { useMemo, useState } from "react";
import type { ReactElement } from "react";
import type { Json } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { visibleText } from "../kit/visible-text.ts";
import { fileDiffOf } from "./file-diff.ts";
import type { DiffLine } from "./file-diff.ts";

import css from "./file-changes.module.css";

/** The maximum number of lines that are shown at first. */
const most = 200;

interface FileChangesProps {
  /** The name of the tool, and the arguments with which it runs. */
  tool: string;
  args: Json;
  /** Whether the changes are stored. */
  stored: boolean;
}

/** The changes; nothing for a call that changes no file. */
export function FileChanges({ tool, args, stored }: FileChangesProps): ReactElement | null {
  const [whole, setWhole] = useState(false);
  const diff = useMemo(() => fileDiffOf(tool, args), [tool, args]);
  if (diff === null) return null;
  const count = (kind: DiffLine["kind"]) => diff.lines.filter((line) => line.kind === kind).length;
  const path = visibleText(diff.path);
  const what = diff.whole ? "Written" : "Changed";
  const hidden = whole ? 0 : Math.max(0, diff.lines.length - most);
  return (
    <figure className={css["changes"]}>
      <figcaption className={css["head"]}>
        {stored ? what : `To be ${what.toLowerCase()}`}: <code>{path}</code>{" "}
        <span className={css["added"]}>+{count("added")}</span>{" "}
        <span className={css["removed"]}>−{count("removed")}</span>
      </figcaption>
      {/* A scrollable element has to be reachable by keyboard. */}
      <pre className={css["lines"]} tabIndex={0} aria-label={`Changes of ${path}`}>
        {diff.lines.slice(0, diff.lines.length - hidden).map((line, at) => (
          // The position of a line identifies it.
          <Line key={at} line={line} />
        ))}
      </pre>
      {hidden === 0 ? null : (
        <Button small kind="quiet" onClick={() => setWhole(true)}>
          Show {hidden} more lines
        </Button>
      )}
    </figure>
  );
}

const signs = { removed: "-", added: "+", same: " " } as const;

function Line({ line: { kind, text } }: { line: DiffLine }): ReactElement {
  const shown = `${signs[kind]} ${text}\n`;
  if (kind === "removed") return <del className={css["line"]}>{shown}</del>;
  if (kind === "added") return <ins className={css["line"]}>{shown}</ins>;
  return <span className={css["line"]}>{shown}</span>;
}
