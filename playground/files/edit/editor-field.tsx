// The field in which a file's text is edited: a monospaced font, line numbers, and Tab to indent. The field is as tall
// as its text and its container scrolls, so that the numbers stay next to their lines.

import { useEffect, useMemo, useRef } from "react";
import type { KeyboardEvent, ReactElement } from "react";

import { indent } from "./indent.ts";

import css from "./editor.module.css";

interface EditorFieldProps {
  label: string;
  text: string;
  onText: (text: string) => void;
  onSave: () => void;
}

/** The field. Tab indents the text; after Escape it moves the focus, until the field is left. */
export function EditorField({ label, text, onText, onSave }: EditorFieldProps): ReactElement {
  const numbers = useMemo(() => text.split("\n").map((_, at) => at + 1), [text]);
  const field = useRef<HTMLTextAreaElement>(null);
  const leaving = useRef(false);
  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(0, 0);
  }, []);
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      onSave();
      return;
    }
    if (event.key === "Escape") leaving.current = true;
    else if (event.key !== "Tab" && event.key !== "Shift") leaving.current = false;
    if (event.key !== "Tab" || leaving.current || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const change = indent(value, [selectionStart, selectionEnd], event.shiftKey);
    if (change === null) return;
    event.currentTarget.setSelectionRange(change.from, change.to);
    // oxlint-disable-next-line typescript/no-deprecated -- the one way to change a field that its own undo knows of
    document.execCommand("insertText", false, change.insert);
    event.currentTarget.setSelectionRange(...change.select);
  };
  return (
    <div className={css["place"]}>
      <div className={css["sheet"]}>
        <pre className={css["numbers"]} aria-hidden="true">
          {numbers.join("\n")}
        </pre>
        <div className={css["stack"]}>
          {/* As wide and as tall as the text. */}
          <pre className={css["measure"]} aria-hidden="true">
            {`${text}\n`}
          </pre>
          <textarea
            ref={field}
            className={css["text"]}
            aria-label={label}
            aria-describedby="editor-keys"
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            wrap="off"
            value={text}
            onChange={(event) => onText(event.target.value)}
            onKeyDown={press}
            onBlur={() => (leaving.current = false)}
          />
        </div>
      </div>
      <p id="editor-keys" className="visually-hidden">
        Tab indents. Press Escape, then Tab, to leave the field.
      </p>
    </div>
  );
}
