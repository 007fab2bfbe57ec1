// The message box: Enter sends, Shift+Enter begins a new line. While an answer is written, its button stops the run.
import { useRef, useState } from "react";
import type { FormEvent, KeyboardEvent } from "react";

import { Icon } from "./icon.tsx";

interface ComposerProps {
  /** Whether the run waits for a person. */
  isWaiting: boolean;
  /** Resolves to whether the message was stored. */
  onSend: (text: string) => Promise<boolean>;
  /** Null while no run is active. */
  onStop: (() => void) | null;
}

export function Composer({ isWaiting, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const form = useRef<HTMLFormElement>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const sent = text;
    if (sent.trim() === "" || onStop !== null) return;
    setText("");
    // A message that could not be sent comes back, unless the person writes another one.
    if (!(await onSend(sent))) setText((now) => (now === "" ? sent : now));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  return (
    <form ref={form} className="composer" onSubmit={(event) => void submit(event)}>
      <textarea
        aria-label="Message"
        placeholder={isWaiting ? "The assistant waits for your decision above." : "Write a message"}
        rows={1}
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      {onStop === null ? (
        <button className="primary icon" aria-label="Send" disabled={text.trim() === ""}>
          <Icon name="send" />
        </button>
      ) : (
        <button type="button" className="primary icon" aria-label="Stop" onClick={onStop}>
          <Icon name="stop" />
        </button>
      )}
    </form>
  );
}
