// A menu that a button opens.

import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement } from "react";

import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

import css from "./menu.module.css";

export interface MenuEntry {
  label: string;
  icon?: IconName;
  run: () => void;
  danger?: boolean;
  /** The current one of several exclusive options. */
  chosen?: boolean;
}

/** A menu. `trigger` is a button of the kit. */
export function Menu({ trigger, entries }: { trigger: ReactElement; entries: readonly MenuEntry[] }): ReactElement {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align="end" sideOffset={4} className={css["positioner"]}>
          <Base.Popup className={css["popup"]}>
            {entries.map(({ label, icon, run, danger, chosen }) => (
              <Base.Item key={label} className={danger === true ? css["danger"] : css["item"]} onClick={run}>
                <span className={css["icon"]}>
                  {chosen === true ? <Icon name="check" /> : icon === undefined ? null : <Icon name={icon} />}
                </span>
                {label}
                {chosen === true ? <span className="visually-hidden"> (chosen)</span> : null}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
