// A block of code with its language, a copy button and colours. The highlighter is loaded with the first block that has
// a language, even while the answer with the block is still streaming; after that, blocks are coloured when they are first
// rendered.

import { memo, useEffect, useRef, useState } from "react";
import type { ReactElement, ReactNode } from "react";

import { IconButton } from "../kit/button.tsx";
import { copiedMs, copyText } from "../kit/copy-text.ts";

import css from "./markdown.module.css";

/** Code with more characters stays plain. */
const most = 60_000;

/** Code with up to this many characters is coloured when it is first rendered. */
const mostAtOnce = 5000;

/** Milliseconds between two colourings of growing code. Longer code is coloured once it has not grown for this time. */
const growMs = 250;
const settleMs = 120;

interface CodeBlockProps {
  code: string;
  language: string | null;
}

export const CodeBlock = memo(function CodeBlock({ code, language }: CodeBlockProps): ReactElement {
  const coloured = useHighlighted(code, language);
  return (
    <figure className={css["code"]}>
      <figcaption className={css["caption"]}>
        <span>{language ?? "text"}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* A scrollable element has to be reachable by keyboard. */}
      <pre tabIndex={0} aria-label={`Code, ${language ?? "text"}`}>
        <code className={css["colours"]}>{coloured ?? code}</code>
      </pre>
    </figure>
  );
});

/** Copies a text and shows that it was copied. */
export function CopyButton({ text }: { text: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), copiedMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    void copyText(text).then(setCopied);
  };
  return <IconButton icon={copied ? "check" : "copy"} label={copied ? "Copied" : "Copy"} onClick={copy} />;
}

type Highlight = (code: string, language: string) => ReactNode;

let loaded: Highlight | null = null;

/** The coloured code as far as it is ready; null while nothing is ready, and for code that stays plain. */
export function useHighlighted(code: string, language: string | null): ReactNode {
  const [highlight, setHighlight] = useState(() => loaded);
  const [done, setDone] = useState(() => colouredNow(highlight, code, language));
  const colouredAt = useRef(-growMs);
  const plain = language === null || code.length > most;
  useEffect(() => {
    if (plain || highlight !== null) return undefined;
    let left = false;
    import("./highlight.ts").then(
      (module) => {
        loaded = module.highlight;
        if (!left) setHighlight(() => module.highlight);
      },
      // Without the highlighter the code is complete, only plain.
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [plain, highlight]);
  useEffect(() => {
    if (plain || highlight === null || done?.code === code) return undefined;
    const sinceMs = performance.now() - colouredAt.current;
    const pauseMs = code.length > mostAtOnce ? settleMs : Math.max(0, growMs - sinceMs);
    const timer = setTimeout(() => {
      colouredAt.current = performance.now();
      setDone({ code, nodes: highlight(code, language) });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [plain, highlight, done, code, language]);
  if (plain || done === null || done.nodes === null || !code.startsWith(done.code)) return null;
  // While code is being written, its earlier part keeps its colours.
  return (
    <>
      {done.nodes}
      {code.slice(done.code.length)}
    </>
  );
}

interface Coloured {
  code: string;
  nodes: ReactNode;
}

function colouredNow(highlight: Highlight | null, code: string, language: string | null): Coloured | null {
  if (highlight === null || language === null || code.length > mostAtOnce) return null;
  return { code, nodes: highlight(code, language) };
}
