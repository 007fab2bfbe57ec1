// A dialog over the page: it has a label, Escape closes it, and the focus stays in it and returns afterwards.

import { Dialog as Base } from "@base-ui/react/dialog";
import { useRef } from "react";
import type { ReactElement, ReactNode } from "react";

import { IconButton } from "./button.tsx";

import css from "./dialog.module.css";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** A sentence that explains the dialog. */
  about?: string;
  /** As wide as the window allows, for an image. */
  wide?: boolean;
  children: ReactNode;
}

export function Dialog({ open, onClose, title, about, wide = false, children }: DialogProps): ReactElement {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className={css["backdrop"]} />
        <Base.Popup
          ref={popup}
          className={css["popup"]}
          data-wide={wide}
          initialFocus={() => firstField(popup.current)}
        >
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

/** The first field, which gets the focus in place of the close button. Without a field the dialog's default applies. */
function firstField(popup: HTMLElement | null): HTMLElement | boolean {
  return popup?.querySelector<HTMLElement>("input:not([type=hidden], [hidden]), select, textarea") ?? true;
}
