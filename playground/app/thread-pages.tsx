// The pages of one thread: its conversation, and its trace before it. A conversation that was read stays where it was while the trace
// is looked at, so that going back finds its reader's place, and what was being written.

import { Suspense, lazy, useEffect, useState } from "react";
import type { ReactElement } from "react";

import { ConversationPage } from "../conversation/conversation-page.tsx";
import { LoadingNote } from "../kit/note.tsx";
import { Asleep } from "./shortcuts.ts";

import css from "./thread-pages.module.css";

const TracePage = lazy(async () => ({ default: (await import("../trace/trace-page.tsx")).TracePage }));

/** The page that is open, and what stands behind it. */
export function ThreadPages({ id, at }: { id: string; at: "conversation" | "trace" }): ReactElement {
  const [read, setRead] = useState(at === "conversation");
  const tracing = at === "trace";
  useEffect(() => {
    if (!tracing) setRead(true);
  }, [tracing]);
  return (
    <div className={css["pages"]}>
      {read || !tracing ? (
        <div className={css["page"]} data-behind={tracing} inert={tracing}>
          <Asleep value={tracing}>
            <ConversationPage id={id} />
          </Asleep>
        </div>
      ) : null}
      {tracing ? (
        <div className={css["page"]}>
          <Suspense fallback={<LoadingNote what="the trace" />}>
            <TracePage id={id} />
          </Suspense>
        </div>
      ) : null}
    </div>
  );
}
