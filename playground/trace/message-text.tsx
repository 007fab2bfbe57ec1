// A message as a model reads or writes it, part by part, always as plain text.

import type { ReactElement } from "react";
import type { Message } from "threadhold/client";

import { JsonView } from "../conversation/json-view.tsx";

import css from "./trace-detail.module.css";

/** The message. For a tool's result only the result is shown, as the model reads it, and not the same text in the message's parts. */
export function MessageText({ message }: { message: Message }): ReactElement {
  const { role, name, parts, result } = message;
  const answer = result?.error ?? result?.result ?? null;
  const shown = answer === null ? parts : parts.filter(({ type }) => type !== "text");
  return (
    <article className={css["message"]} data-role={role}>
      <h3 className={css["role"]}>{name === null ? role : `${role} · ${name}`}</h3>
      {answer === null ? null : <p className={result?.status === "error" ? css["wrong"] : css["said"]}>{answer}</p>}
      {shown.map((part, at) => (
        // The index of a part identifies it.
        <PartWords key={at} part={part} />
      ))}
      {answer === null && shown.length === 0 ? <p className={css["words"]}>No content.</p> : null}
    </article>
  );
}

function PartWords({ part }: { part: Message["parts"][number] }): ReactElement {
  switch (part.type) {
    case "text":
      return <p className={css["said"]}>{part.text}</p>;
    case "thinking":
      return (
        <details className={css["thought"]}>
          <summary>Thinking</summary>
          <p className={css["said"]}>{part.thinking}</p>
        </details>
      );
    case "tool_call":
      return <JsonView label={`Call of ${part.name}`} value={part.arguments} />;
    case "provider_tool": {
      const { name, input, output = null } = part;
      return <JsonView label={`${name}, executed by the provider`} value={{ input, output }} />;
    }
    default:
      return <JsonView label={part.type} value={JSON.stringify(part, null, 2)} />;
  }
}
