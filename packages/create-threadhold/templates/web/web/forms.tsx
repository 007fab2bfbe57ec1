// The form for a message, and the form for a token, which a deployment asks for.
import { useState } from "react";
import type { FormEvent } from "react";

interface MessageFormProps {
  onSend: (text: string) => Promise<void>;
  /** Null while no answer is under way. */
  onStop: (() => Promise<unknown>) | null;
}

export function MessageForm({ onSend, onStop }: MessageFormProps) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return;
    setText("");
    void onSend(text);
  };
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Message"
        placeholder="What time is it?"
        value={text}
        onChange={(e) => setText(e.target.value)}
      />
      {onStop === null ? (
        <button>Send</button>
      ) : (
        <button type="button" onClick={() => void onStop()}>
          Stop
        </button>
      )}
    </form>
  );
}

export function SignInForm({ onToken }: { onToken: (token: string) => void }) {
  const [token, setToken] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token !== "") onToken(token);
  };
  return (
    <form onSubmit={submit}>
      <input
        type="password"
        aria-label="Token"
        placeholder="Token"
        value={token}
        onChange={(e) => setToken(e.target.value)}
      />
      <button>Sign in</button>
    </form>
  );
}
