// One event as it was sent, with buttons to copy it and to copy a link to it.

import { useRef, useState } from "react";
import type { ReactElement } from "react";

import { Button, IconButton } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";
import { useFocusAfterRemoval } from "../kit/use-focus-after-removal.ts";
import type { TapeEntry } from "./event-tape.ts";

import css from "./event-log.module.css";

export function ChosenEvent({ entry, onClose }: { entry: TapeEntry; onClose: () => void }): ReactElement {
  const { event, from, count } = entry;
  const text = JSON.stringify(event, null, 2);
  const place = useRef<HTMLElement>(null);
  // The line of the event, which is pressed until the removal.
  useFocusAfterRemoval(place, (removed) =>
    removed.parentElement?.querySelector<HTMLElement>("[aria-pressed=true]:is(li *)"),
  );
  return (
    <section ref={place} className={css["chosen"]} aria-label={`Event ${event.seq}`}>
      <header className={css["chosenHead"]}>
        <span className={css["chosenName"]}>
          {from === event.seq ? event.seq : `${from}–${event.seq}`}
          {count === 1 ? "" : `, ${count} as one`}
        </span>
        <CopyButton words="Copy" done="Copied" text={text} />
        <CopyButton words="Copy link" done="Link copied" text={location.href} />
        <IconButton icon="close" label="Close the event" onClick={onClose} />
      </header>
      {/* A scrollable element has to be reachable by keyboard. */}
      <pre className={css["raw"]} tabIndex={0} aria-label={`Event ${event.seq} as JSON`}>
        {text}
      </pre>
    </section>
  );
}

function CopyButton({ words, done, text }: { words: string; done: string; text: string }): ReactElement {
  const [copied, setCopied] = useState("");
  return (
    <Button
      small
      kind="quiet"
      onClick={() => {
        void copyText(text).then((done) => setCopied(done ? text : ""));
      }}
    >
      <span aria-live="polite">{copied === text ? done : words}</span>
    </Button>
  );
}
