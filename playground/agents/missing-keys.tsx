// The variables that a definition lacks, and where to set them.

import { Fragment } from "react";
import type { ReactElement } from "react";

import type { MissingKey } from "./readiness.ts";

import css from "./definition.module.css";

/** The note; renders nothing if no variable is missing. */
export function MissingKeys({ missing }: { missing: readonly Pick<MissingKey, "variable">[] }): ReactElement | null {
  if (missing.length === 0) return null;
  const variables = [...new Set(missing.map(({ variable }) => variable))];
  return (
    <div className={css["missing"]}>
      <p>
        <strong>
          <Codes texts={variables} /> {variables.length === 1 ? "is" : "are"} not set.
        </strong>{" "}
        Put <Codes texts={variables.map((variable) => `${variable}=…`)} /> into <code>.dev.vars</code> and start{" "}
        <code>npm run dev</code> again; for a deployment,{" "}
        <Codes texts={variables.map((variable) => `npx wrangler secret put ${variable}`)} />.
      </p>
    </div>
  );
}

/** Texts of code as a part of a sentence. */
function Codes({ texts }: { texts: readonly string[] }): ReactElement {
  return (
    <>
      {texts.map((text, at) => (
        <Fragment key={text}>
          {at === 0 ? "" : at === texts.length - 1 ? " and " : ", "}
          <code>{text}</code>
        </Fragment>
      ))}
    </>
  );
}
