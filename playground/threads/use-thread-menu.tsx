// The actions on a thread, for every place that shows a thread.

import { useMutation } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import type { ReactNode } from "react";
import type { Thread } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";
import { useLocation, useRoute } from "wouter";

import { copyText } from "../kit/copy-text.ts";
import { Dialog } from "../kit/dialog.tsx";
import type { MenuEntry } from "../kit/menu.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { PartBoundary } from "../kit/part-boundary.tsx";
import { useDeletions } from "./deletions.tsx";
import { exportThread } from "./export-thread.ts";
import { useNameOf } from "./thread-title.ts";

const EditThreadDialog = lazy(async () => ({
  default: (await import("./edit-thread-dialog.tsx")).EditThreadDialog,
}));

/** The entries of the menu, and the dialog that one of them has opened. */
export function useThreadMenu(thread: Thread, onChanged: () => void): { entries: MenuEntry[]; dialog: ReactNode } {
  const nameOf = useNameOf();
  const client = useThreadholdClient();
  const deletions = useDeletions();
  const [, navigate] = useLocation();
  const [, open] = useRoute(/^\/threads\/(?<id>[^/]+)/);
  const [editing, setEditing] = useState(false);
  const save = useMutation({ mutationFn: () => exportThread(client, thread.id) });
  const entries: MenuEntry[] = [
    { label: "Rename and tag", icon: "edit", run: () => setEditing(true) },
    { label: save.isPending ? "Exporting…" : "Export", icon: "export", run: () => save.mutate() },
    { label: "Copy its id", icon: "copy", run: () => void copyText(thread.id) },
    {
      label: "Delete",
      icon: "trash",
      danger: true,
      run: () => {
        deletions.hold({
          id: thread.id,
          title: nameOf(thread),
          async send({ leaving }) {
            if (!leaving) return client.threads.delete(thread.id);
            await client.fetch(`/api/~/threads/${thread.id}`, { method: "DELETE", keepalive: true });
          },
        });
        if (open?.["id"] === thread.id) navigate("/");
      },
    },
  ];
  const dialog = (
    <>
      {editing ? (
        <PartBoundary onClose={() => setEditing(false)}>
          <Suspense>
            <EditThreadDialog thread={thread} onClose={() => setEditing(false)} onSaved={onChanged} />
          </Suspense>
        </PartBoundary>
      ) : null}
      <Dialog open={save.error !== null} onClose={() => save.reset()} title="Export">
        <ErrorNote title="The thread was not exported" error={save.error} action onRetry={() => save.mutate()} />
      </Dialog>
    </>
  );
  return { entries, dialog };
}
