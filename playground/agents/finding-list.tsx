// The findings of the last build, each with its position and the source line.

import type { ReactElement } from "react";

import { suggestionText } from "../kit/suggestion-text.ts";
import { placeOf } from "./findings.ts";
import type { Finding } from "./findings.ts";

import css from "./definition.module.css";

/** The list; renders nothing without findings. */
export function FindingList({ findings }: { findings: readonly Finding[] }): ReactElement | null {
  if (findings.length === 0) return null;
  return (
    <section className={css["findings"]} aria-label="Findings of the last build">
      <ul>
        {findings.map((finding) => (
          <li key={`${placeOf(finding)} ${finding.message}`} data-severity={finding.severity}>
            <p>
              <strong>{finding.severity === "error" ? "Error" : "Warning"}</strong> <code>{placeOf(finding)}</code>{" "}
              {finding.message}
              {finding.suggestion === undefined ? "" : `. ${suggestionText(finding.suggestion)}`}
            </p>
            {finding.source === undefined ? null : <pre>{finding.source.trim()}</pre>}
            {finding.notes?.map((note) => (
              <p key={note} className={css["aside"]}>
                {note}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
