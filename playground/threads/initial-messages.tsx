// The fields for the messages that a new thread starts with. These messages start no run.

import type { ReactElement } from "react";

import { Button, IconButton } from "../kit/button.tsx";

import css from "./new-thread-dialog.module.css";

const roles = ["user", "assistant", "system"] as const;

/** An initial message. */
export interface InitialMessage {
  role: (typeof roles)[number];
  content: string;
}

interface InitialMessagesProps {
  messages: readonly InitialMessage[];
  onChange: (messages: readonly InitialMessage[]) => void;
}

export function InitialMessages({ messages, onChange }: InitialMessagesProps): ReactElement {
  const put = (at: number, change: Partial<InitialMessage>): void =>
    onChange(messages.map((message, index) => (index === at ? { ...message, ...change } : message)));
  return (
    <fieldset className={css["messages"]}>
      <legend className={css["legend"]}>Initial messages</legend>
      {messages.map(({ role, content }, at) => (
        // Rows have no other identity than their index, and are only added and removed.
        <div className={css["message"]} key={at}>
          <select
            className={css["control"]}
            aria-label={`Role of message ${at + 1}`}
            value={role}
            onChange={(event) => put(at, { role: roles.find((one) => one === event.target.value) ?? "user" })}
          >
            {roles.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          <textarea
            className={css["control"]}
            rows={1}
            aria-label={`Text of message ${at + 1}`}
            value={content}
            onChange={(event) => put(at, { content: event.target.value })}
          />
          <IconButton
            icon="close"
            label={`Remove message ${at + 1}`}
            onClick={() => onChange(messages.toSpliced(at, 1))}
          />
        </div>
      ))}
      <div>
        <Button
          small
          icon="plus"
          onClick={() =>
            onChange([...messages, { role: messages.length % 2 === 0 ? "user" : "assistant", content: "" }])
          }
        >
          Add a message
        </Button>
      </div>
      <p className={css["help"]}>They are history only: no run starts until you send a message.</p>
    </fieldset>
  );
}
