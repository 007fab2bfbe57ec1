// The product's name with its logo: a thread with ticks, one of them highlighted.

import type { ReactElement } from "react";

import css from "./shell.module.css";

export function Wordmark(): ReactElement {
  return (
    <span className={css["wordmark"]}>
      <svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20" focusable="false">
        <path d="M4.500 1v18" stroke="currentColor" strokeWidth="1.500" />
        <path d="M4.500 4h4M4.500 7h2.500M4.500 13h2.500M4.500 16h4" stroke="currentColor" strokeWidth="1.200" />
        <path d="M4.500 10h12" stroke="var(--trace)" strokeWidth="2.400" />
      </svg>
      <span className={css["name"]}>Threadhold</span>
    </span>
  );
}
