// The variables that a definition lacks, and where to set them.

import type { ReactElement } from "react";

import type { MissingKey } from "./readiness.ts";

import css from "./definition.module.css";

/** The note; renders nothing if no variable is missing. */
export function MissingKeys({ missing }: { missing: readonly Pick<MissingKey, "variable">[] }): ReactElement | null {
  if (missing.length === 0) return null;
  const variables = [...new Set(missing.map(({ variable }) => variable))];
  return (
    <div className={css["missing"]}>
      {variables.map((variable) => (
        <p key={variable}>
          <strong>
            <code>{variable}</code> is not set.
          </strong>{" "}
          Put <code>{variable}=…</code> into <code>.dev.vars</code> and start <code>npm run dev</code> again; for a
          deployment, <code>npx wrangler secret put {variable}</code>.
        </p>
      ))}
    </div>
  );
}
