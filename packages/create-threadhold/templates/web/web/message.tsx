// One message: its text as Markdown, and the model's tool calls as cards.
import { memo } from "react";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import type { MessageView } from "threadhold/client";
import type { UsedThread } from "threadhold/react";

import { ToolCall } from "./tool-call.tsx";

export function Message({ message, thread }: { message: MessageView; thread: UsedThread }) {
  const { role, parts, silent, stop_reason: reason } = message;
  // Results of tools are messages too. Their calls show them.
  if (silent || (role !== "user" && role !== "assistant")) return null;
  return (
    <article data-role={role} aria-label={role === "user" ? "You" : "Assistant"}>
      {parts.map((part, index) => {
        if (part.type === "text")
          return role === "user" ? <p key={index}>{part.text}</p> : <Text key={index} text={part.text} />;
        if (part.type === "tool_call") return <ToolCall key={part.id} call={part} thread={thread} />;
        return null;
      })}
      {reason === "aborted" ? <p className="quiet">Stopped.</p> : null}
    </article>
  );
}

/** Text of a model. react-markdown builds elements and never HTML, so nothing in the text can run. Only changed texts are parsed again. */
const Text = memo(({ text }: { text: string }) => (
  <Markdown
    remarkPlugins={[remarkGfm]}
    components={{
      a: ({ href, children }) => (
        <a href={href} target="_blank" rel="noreferrer">
          {children}
        </a>
      ),
      // A picture from another server would tell that server what the model wrote into its address.
      img: ({ src, alt }) => (
        <a href={String(src)} target="_blank" rel="noreferrer">
          {alt || "Picture"}
        </a>
      ),
      pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
      table: ({ children }) => (
        <div className="table" tabIndex={0} role="region" aria-label="Table">
          <table>{children}</table>
        </div>
      ),
    }}
  >
    {text}
  </Markdown>
));
