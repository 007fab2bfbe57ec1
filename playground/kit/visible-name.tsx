// A name that somebody else chose: set apart from the text around it, whatever direction it is written in, with what could not be
// seen in it shown.

import { Fragment } from "react";
import type { ReactElement } from "react";

import { piecesOf } from "./visible-text.ts";

import css from "./visible-name.module.css";

/** The name. */
export function VisibleName({ name }: { name: string }): ReactElement {
  return (
    <bdi>
      {piecesOf(name).map(({ text, mark }, at) =>
        mark ? (
          <span key={at} className={css["mark"]}>
            {text}
          </span>
        ) : (
          <Fragment key={at}>{text}</Fragment>
        ),
      )}
    </bdi>
  );
}
