// A block of code: its language, a way to copy it, colours once the highlighter has come.

import { memo, useEffect, useState } from "react";
import type { ReactElement, ReactNode } from "react";

import { IconButton } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";

import css from "./markdown.module.css";

/** Characters above which code stays plain. */
const most = 60_000;

/** Milliseconds that code has to stand still before it is coloured. */
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

/** The code in colours, once it stands still and the highlighter has come; null until then, and for what stays plain. */
export function useHighlighted(code: string, language: string | null): ReactNode {
  const [done, setDone] = useState<{ code: string; nodes: ReactNode } | null>(null);
  useEffect(() => {
    if (language === null || code.length > most) return undefined;
    let left = false;
    const timer = setTimeout(() => {
      import("./highlight.ts").then(
        ({ highlight }) => {
          if (!left) setDone({ code, nodes: highlight(code, language) });
        },
        // Plain code is whole.
        () => undefined,
      );
    }, settleMs);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [code, language]);
  return done?.code === code ? done.nodes : null;
}
