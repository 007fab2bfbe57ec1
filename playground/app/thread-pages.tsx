// The pages of one thread: its conversation, and its trace in front of it. The conversation stays mounted while the
// trace is open, so that its scroll position and drafts are there when the user returns.

import { Suspense, lazy, useEffect, useState } from "react";
import type { ReactElement } from "react";

import { ConversationPage } from "../conversation/conversation-page.tsx";
import { LoadingNote } from "../kit/note.tsx";
import { ShortcutsOff } from "./shortcuts.ts";

import css from "./thread-pages.module.css";

const TracePage = lazy(async () => ({ default: (await import("../trace/trace-page.tsx")).TracePage }));

/** The open page, and the hidden one. */
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
          <ShortcutsOff value={tracing}>
            <ConversationPage id={id} />
          </ShortcutsOff>
        </div>
      ) : null}
      {tracing ? (
        <div className={css["page"]}>
          <Suspense fallback={<LoadingNote page what="the trace" />}>
            <TracePage id={id} />
          </Suspense>
        </div>
      ) : null}
    </div>
  );
}
