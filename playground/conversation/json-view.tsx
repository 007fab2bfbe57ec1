// A value as indented JSON. A long one is cut until the user asks for the whole.

import { useContext, useState } from "react";
import type { ReactElement } from "react";
import type { Json } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { CopyButton } from "../markdown/code-block.tsx";
import { CallContext } from "./call-context.ts";

import css from "./tool-call.module.css";

/** The value. A string that is still being written is shown as it is. */
export function JsonView({ label, value }: { label: string; value: Json }): ReactElement {
  const [whole, setWhole] = useState(false);
  const { foldAfter: most } = useContext(CallContext);
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const cut = !whole && text.length > most;
  return (
    <div className={css["json"]}>
      <span className={css["label"]}>
        {label} <CopyButton text={text} />
      </span>
      {/* A scrollable element has to be reachable by keyboard. */}
      <pre tabIndex={0} aria-label={label}>
        {cut ? `${text.slice(0, most)}…` : text}
      </pre>
      {cut ? (
        <Button small kind="quiet" onClick={() => setWhole(true)}>
          Show all {text.length} characters
        </Button>
      ) : null}
    </div>
  );
}
