// The line in a conversation below the messages that are no longer sent, with the reason.

import type { ReactElement } from "react";

import { Button } from "../../kit/button.tsx";
import { count } from "../../kit/figures.ts";
import type { Compaction } from "./compaction.ts";
import type { UnsentMessages } from "./unsent-messages.ts";

import css from "./unsent-line.module.css";

interface UnsentLineProps {
  unsent: UnsentMessages;
  /** The compaction that dropped the messages; null while it is not loaded. */
  compaction: Compaction | null;
  onContext: () => void;
}

export function UnsentLine({ unsent, compaction, onContext }: UnsentLineProps): ReactElement {
  return (
    <div className={css["line"]} role="note" aria-label="Messages above are no longer sent">
      <div className={css["text"]}>
        <p className={css["title"]}>Messages above are no longer sent</p>
        {unsent.summarized ? <p>A summary of {numberText(unsent.count)} is sent in their place.</p> : null}
        <p>
          {dropText(unsent)}
          {compaction === null ? "" : ` ${reasonText(compaction)}`}
        </p>
        <Button small onClick={onContext}>
          Show the context
        </Button>
      </div>
    </div>
  );
}

function dropText({ count: number, kept }: UnsentMessages): string {
  const dropped = `${numberText(number)} ${number === 1 ? "was" : "were"} dropped`;
  if (kept === 0) return `${dropped}.`;
  return kept === 1 ? `${dropped}; 1 above is still sent.` : `${dropped}; ${count(kept)} above are still sent.`;
}

function numberText(number: number): string {
  return number === 1 ? "1 message" : `${count(number)} messages`;
}

function reasonText({ start, end }: Compaction): string {
  const before = count(start.tokens);
  const reason =
    start.reason === "overflow"
      ? `The model refused the request of ${before} tokens as too large.`
      : `The request had ${before} tokens, and its budget is ${count(start.budget)}.`;
  const after = end.level === "summary" ? "With a summary in their place" : "Without them";
  return `${reason} ${after} it had ${count(end.tokens)} tokens.`;
}
