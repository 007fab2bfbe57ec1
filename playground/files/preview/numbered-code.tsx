// A text with line numbers, coloured if the highlighter knows its language, with one line highlighted on request.

import { memo, useEffect, useMemo, useRef } from "react";
import type { ReactElement, ReactNode } from "react";

import { useHighlighted } from "../../markdown/code-block.tsx";
import { lineChunks } from "./line-chunks.ts";
import type { LineChunk } from "./line-chunks.ts";

import colours from "../../markdown/markdown.module.css";
import css from "./numbered-code.module.css";

/** The height of a line in pixels, the same as in the style sheet. */
const lineHeight = 20;

/** Lines that are laid out together. */
const chunkLines = 500;

interface NumberedCodeProps {
  text: string;
  language: string | null;
  label: string;
  /** The highlighted line, from 1. */
  line: number | null;
}

export function NumberedCode({ text, language, label, line }: NumberedCodeProps): ReactElement {
  const coloured = useHighlighted(text, language);
  const chunks = useMemo(
    () => lineChunks(text, coloured === null ? chunkLines : Number.POSITIVE_INFINITY),
    [text, coloured],
  );
  const last = chunks.at(-1);
  const count = last === undefined ? 0 : last.first + last.lines - 1;
  const place = useRef<HTMLDivElement>(null);
  const pointed = line !== null && line <= count ? line : null;
  useEffect(() => {
    if (pointed === null || place.current === null) return;
    place.current.scrollTop = Math.max(0, (pointed - 1) * lineHeight - place.current.clientHeight / 3);
  }, [pointed]);
  return (
    // A scrollable element has to be reachable by keyboard.
    <div ref={place} className={css["place"]} tabIndex={0} role="region" aria-label={label}>
      <div className={css["sheet"]}>
        {pointed === null ? null : (
          <span className={css["pointed"]} data-line={pointed} style={{ top: (pointed - 1) * lineHeight }} />
        )}
        {chunks.map((chunk) => (
          <Chunk key={chunk.first} {...chunk} digits={String(count).length} coloured={coloured} />
        ))}
      </div>
    </div>
  );
}

interface ChunkProps extends LineChunk {
  digits: number;
  coloured: ReactNode;
}

const Chunk = memo(function Chunk({ text, first, lines, digits, coloured }: ChunkProps): ReactElement {
  const numbers = Array.from({ length: lines }, (_, at) => first + at).join("\n");
  return (
    <div className={css["chunk"]} style={{ containIntrinsicHeight: lines * lineHeight }}>
      <pre className={css["numbers"]} style={{ width: `calc(${Math.max(digits, 3)}ch + 1.75rem)` }} aria-hidden="true">
        {numbers}
      </pre>
      <pre className={css["text"]}>
        <code className={colours["colours"]}>{coloured ?? text}</code>
      </pre>
    </div>
  );
});
