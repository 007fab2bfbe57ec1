// The page that is shown if the deployment refuses every caller, or does not answer.

import type { ReactElement } from "react";
import { ThreadholdClientError } from "threadhold/client";

import { usePageTitle } from "../app/page-title.ts";
import { Wordmark } from "../app/wordmark.tsx";
import { Button } from "../kit/button.tsx";
import { wordsOf } from "../kit/note.tsx";

import css from "./access.module.css";

/** Shows the reason, and what to do. */
export function ClosedPage({ error, onRetry }: { error: unknown; onRetry: () => void }): ReactElement {
  const unset = error instanceof ThreadholdClientError && error.code === "auth_not_configured";
  const title = unset ? "Access is not set up yet" : "The deployment does not answer";
  usePageTitle(title);
  return (
    <main className={css["page"]}>
      <section className={css["card"]} aria-labelledby="closed">
        <Wordmark />
        <h1 id="closed" className={css["title"]}>
          {title}
        </h1>
        <p className={css["reason"]} role="alert">
          {wordsOf(error)}
        </p>
        <p className={css["help"]}>
          {unset ? (
            <>
              Set <code>API_TOKENS</code> with <code>npx wrangler secret put API_TOKENS</code>, or in{" "}
              <code>.dev.vars</code> while you develop, and start it again.
            </>
          ) : (
            "Check that it runs and that this machine is online."
          )}
        </p>
        <div>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      </section>
    </main>
  );
}
