// The menu with the actions for a message. An active run locks its messages; the server's error explains that.

import { useMutation } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { MessageView, ThreadHandle } from "threadhold/client";
import { useLocation, useSearch } from "wouter";

import { IconButton } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Menu } from "../kit/menu.tsx";
import type { MenuEntry } from "../kit/menu.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { tracePath } from "../trace/trace-path.ts";

import css from "./message.module.css";

interface MessageMenuProps {
  handle: ThreadHandle;
  message: MessageView;
  who: string;
  running: boolean;
  onEdit: () => void;
}

export function MessageMenu({ handle, message, who, running, onEdit }: MessageMenuProps): ReactElement {
  const remove = useMutation({ mutationFn: () => handle.messages.delete(message.id) });
  const text = message.content;
  const [, navigate] = useLocation();
  const search = useSearch();
  const entries: MenuEntry[] = [
    ...(text === null ? [] : [{ label: "Copy its text", icon: "copy", run: () => void copyText(text) } as const]),
    { label: "Copy its id", icon: "tag", run: () => void copyText(message.id) },
    ...(message.run_id === null
      ? []
      : [
          {
            label: "Trace of its run",
            icon: "trace",
            run: () => navigate(tracePath(handle.id, message.run_id ?? undefined, search)),
          } as const,
        ]),
    ...(text === null || running || message.role === "tool"
      ? []
      : [{ label: "Edit", icon: "edit", run: onEdit } as const]),
    ...(running ? [] : [{ label: "Delete", icon: "trash", danger: true, run: () => remove.mutate() } as const]),
  ];
  return (
    <>
      <Menu
        trigger={<IconButton icon="more" label={`More about the message of ${who}`} className={css["menu"] ?? ""} />}
        entries={entries}
      />
      <Dialog open={remove.error !== null} onClose={() => remove.reset()} title="Delete a message">
        <ErrorNote title="The message was not deleted" error={remove.error} />
      </Dialog>
    </>
  );
}
