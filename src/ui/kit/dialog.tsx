// A dialog over the page: labelled, closed by Escape, its focus kept and given back.

import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactElement, ReactNode } from "react";

import { IconButton } from "./button.tsx";

import css from "./dialog.module.css";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** What it is for, in a sentence. */
  about?: string;
  children: ReactNode;
}

/** A dialog. */
export function Dialog({ open, onClose, title, about, children }: DialogProps): ReactElement {
  return (
    <Base.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className={css["backdrop"]} />
        <Base.Popup className={css["popup"]}>
          <header className={css["head"]}>
            <Base.Title className={css["title"]}>{title}</Base.Title>
            <Base.Close render={<IconButton icon="close" label="Close" />} />
          </header>
          {about === undefined ? null : <Base.Description className={css["about"]}>{about}</Base.Description>}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
