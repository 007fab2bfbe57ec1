// One message: its text, and the tool calls of the model with their results.
import type { MessageView } from "threadhold/client";

interface MessageProps {
  message: MessageView;
  /** The result of a tool call, which is a message of its own; undefined while the tool runs. */
  resultOf: (callId: string) => string | null | undefined;
}

export function Message({ message: { role, parts }, resultOf }: MessageProps) {
  if (role !== "user" && role !== "assistant") return null;
  return (
    <article data-role={role}>
      {parts.map((part, index) => {
        if (part.type === "text") return <p key={index}>{part.text}</p>;
        if (part.type !== "tool_call") return null;
        return (
          <p key={index} className="call">
            {part.name} {JSON.stringify(part.arguments)} → {resultOf(part.id) ?? "…"}
          </p>
        );
      })}
    </article>
  );
}
