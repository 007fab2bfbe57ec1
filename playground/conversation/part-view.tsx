// A part of a message: text, thinking, a call, a file.

import { memo, useMemo, useState } from "react";
import type { ReactElement } from "react";
import type { Json, Message, MessageView, ThreadHandle } from "threadhold/client";

import { useAnswerLabel } from "../agents/answer-schema.ts";
import { Button } from "../kit/button.tsx";
import { count } from "../kit/figures.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { answerObject } from "./answer-object.ts";
import { Attachment } from "./attachment.tsx";
import { JsonView } from "./json-view.tsx";
import { ProviderTool } from "./provider-tool.tsx";
import type { Lines } from "./rows.ts";
import { ToolCall } from "./tool-call.tsx";

import css from "./message.module.css";

const noLines: Lines[string] = [];

type Part = Message["parts"][number];

interface PartViewProps {
  part: Part;
  message: MessageView;
  /** It is the last part of its message, so it grows while the message streams. */
  last: boolean;
  results: Readonly<Record<string, MessageView>>;
  /** The messages under its calls. */
  lines: Lines;
  handle: ThreadHandle;
}

export const PartView = memo(function PartView({
  part,
  message,
  last,
  results,
  lines,
  handle,
}: PartViewProps): ReactElement | null {
  switch (part.type) {
    case "text":
      // People write plain text, so it is not rendered as markdown.
      if (message.role === "user" && message.side === null) return <Plain text={part.text} />;
      return part.text === "" ? null : <Answer text={part.text} live={message.streaming} threadId={handle.id} />;
    case "thinking":
      return <Thinking text={part.thinking} redacted={part.redacted === true} live={message.streaming && last} />;
    case "tool_call":
      return (
        <ToolCall
          handle={handle}
          call={part}
          result={results[part.id] ?? null}
          lines={lines[part.id] ?? noLines}
          writing={message.streaming && last && typeof part.arguments === "string"}
        />
      );
    case "provider_tool":
      return <ProviderTool part={part} live={message.streaming} />;
    case "image":
    case "file":
      return (
        <Attachment
          handle={handle}
          file={{
            path: part.path ?? null,
            url: part.url ?? null,
            name: part.name ?? part.mime_type,
            type: part.mime_type,
            size: part.size ?? null,
            width: part.width ?? null,
            height: part.height ?? null,
          }}
        />
      );
  }
});

/** A model's text: a structured answer as data, any other text as Markdown. */
function Answer({ text, live, threadId }: { text: string; live: boolean; threadId: string }): ReactElement {
  const data = useMemo(() => (live ? undefined : answerObject(text)), [text, live]);
  return data === undefined ? <Markdown text={text} /> : <AnswerData data={data} threadId={threadId} />;
}

function AnswerData({ data, threadId }: { data: Json; threadId: string }): ReactElement {
  return <JsonView label={useAnswerLabel(threadId, data)} value={data} />;
}

/** The numbers of characters and lines above which a user's text is folded. */
const mostCharacters = 8000;
const mostLines = 120;

function Plain({ text }: { text: string }): ReactElement {
  const [whole, setWhole] = useState(false);
  const cut = whole ? text : beginningOf(text);
  return (
    <div>
      <p className={css["plain"]}>{cut === text ? text : `${cut}…`}</p>
      {cut === text && !whole ? null : cut === text ? (
        <Button small kind="quiet" onClick={() => setWhole(false)}>
          Show less
        </Button>
      ) : (
        <Button small kind="quiet" onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </Button>
      )}
    </div>
  );
}

/** The beginning of a long text; a short text is unchanged. */
function beginningOf(text: string): string {
  const lines = text.slice(0, mostCharacters).split("\n", mostLines + 1);
  if (text.length <= mostCharacters && lines.length <= mostLines) return text;
  return lines
    .slice(0, mostLines / 4)
    .join("\n")
    .slice(0, mostCharacters / 4);
}

function Thinking({ text, redacted, live }: { text: string; redacted: boolean; live: boolean }): ReactElement {
  const words = text.split(/\s+/).filter((word) => word !== "").length;
  return (
    <details className={css["thinking"]}>
      <summary>
        {live ? "Thinking" : "Thoughts"}
        <span className={css["figure"]}>{redacted ? "kept by the provider" : `${words} words`}</span>
      </summary>
      <p className={css["plain"]}>{redacted ? "The provider does not show these thoughts." : text}</p>
    </details>
  );
}
