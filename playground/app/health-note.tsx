// A note with the findings of the last build of the definitions. It is updated regularly, because a developer fixes
// them in an editor.

import type { ReactElement } from "react";

import { suggestionText } from "../kit/suggestion-text.ts";
import { useHealth } from "./reach-gate.tsx";

import css from "./shell.module.css";

/** The note; renders nothing if the build has no findings. */
export function HealthNote(): ReactElement | null {
  const { data } = useHealth();
  const found = data?.diagnostics ?? [];
  if (found.length === 0) return null;
  const errors = found.filter(({ severity }) => severity === "error").length;
  const words =
    errors > 0 ? `The last good build is served: ${plural(errors, "error")}` : plural(found.length, "warning");
  return (
    <details className={css["health"]} data-severity={errors > 0 ? "error" : "warning"}>
      <summary>{words} in the definitions</summary>
      <ul>
        {found.map(({ file, line, message, suggestion }) => (
          <li key={`${file}:${line ?? 0}:${message}`}>
            <code>
              {file}
              {line === undefined ? "" : `:${line}`}
            </code>{" "}
            {message}
            {suggestion === undefined ? "" : `. ${suggestionText(suggestion)}`}
          </li>
        ))}
      </ul>
    </details>
  );
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
