// The switch for notifications, and what to do if they cannot be shown.

import { useState } from "react";
import type { ReactElement } from "react";

import { Button } from "../../kit/button.tsx";
import { chooseNotifications, useNotificationsWanted } from "./notification-choice.ts";
import { requestPermission, usePermission } from "./permission.ts";
import type { Permission } from "./permission.ts";

import css from "../inbox.module.css";

/** The switch. The permission is asked for when the user turns it on. */
export function NotificationSwitch(): ReactElement {
  const wanted = useNotificationsWanted();
  const permission = usePermission();
  const [asking, setAsking] = useState(false);
  const works = permission === "granted" || permission === "default";
  const on = wanted && permission === "granted";
  const help = helpOf(permission, { on, asking });
  const turn = async (): Promise<void> => {
    if (on) return chooseNotifications(false);
    setAsking(true);
    const now = permission === "granted" ? permission : await requestPermission();
    setAsking(false);
    chooseNotifications(now === "granted");
  };
  return (
    <div className={css["notify"]}>
      {works || permission === "denied" ? (
        <Button disabled={asking || permission === "denied"} onClick={() => void turn()}>
          {on ? "Turn off notifications" : "Turn on notifications"}
        </Button>
      ) : null}
      <p className={css["help"]} role="status">
        {help}
      </p>
    </div>
  );
}

interface Now {
  on: boolean;
  asking: boolean;
}

const instead = "The number in the tab's title shows what waits.";

function helpOf(permission: Permission, { on, asking }: Now): string {
  switch (permission) {
    case "granted":
      return on ? "This browser notifies you when a call begins to wait, while a tab of this page is open." : "";
    case "default":
      return asking ? "The browser asks for your permission." : "";
    case "denied":
      return `This browser blocks notifications of this page. Allow them in the settings next to the address. ${instead}`;
    case "unsupported":
      return `This browser has no notifications for this page. They need https, or a server on this machine. ${instead}`;
    case "refused":
      return `This browser shows notifications of installed apps alone. ${instead}`;
  }
}
