// A name that a user, a model or a server chose: isolated from the text direction around it, with its invisible characters shown.

import { Fragment } from "react";
import type { ReactElement } from "react";

import { piecesOf } from "./visible-text.ts";

import css from "./visible-name.module.css";

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
