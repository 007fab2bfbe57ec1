// A block of code: its language, a way to copy it, colours. The highlighter is loaded with the first block that names its language,
// also while an answer still writes it; from then on a block is coloured when it is first drawn.

import { memo, useEffect, useRef, useState } from "react";
import type { ReactElement, ReactNode } from "react";

import { IconButton } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";

import css from "./markdown.module.css";

/** Characters above which code stays plain. */
const most = 60_000;

/** Characters up to which code is coloured as it is first drawn. */
const mostAtOnce = 5000;

/** Milliseconds between two colourings of code that grows, and that longer code has to stand still before it is coloured. */
const growMs = 250;
const settleMs = 120;

interface CodeBlockProps {
  code: string;
  language: string | null;
}

/** The block. */
export const CodeBlock = memo(function CodeBlock({ code, language }: CodeBlockProps): ReactElement {
  const coloured = useHighlighted(code, language);
  return (
    <figure className={css["code"]}>
      <figcaption className={css["caption"]}>
        <span>{language ?? "text"}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* What scrolls has to be reached by the keyboard */}
      <pre tabIndex={0} aria-label={`Code, ${language ?? "text"}`}>
        <code className={css["colours"]}>{coloured ?? code}</code>
      </pre>
    </figure>
  );
});

/** Copies a text, and says so. */
export function CopyButton({ text }: { text: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    void copyText(text).then(setCopied);
  };
  return <IconButton icon={copied ? "check" : "copy"} label={copied ? "Copied" : "Copy"} onClick={copy} />;
}

type Highlight = (code: string, language: string) => ReactNode;

let loaded: Highlight | null = null;

/** The code in colours as far as they are known; null while none are, and for what stays plain. */
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
      // Plain code is whole.
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
  // Code that is still written keeps the colours of what came before.
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
