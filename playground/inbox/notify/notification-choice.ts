// Whether the user wants notifications, kept in this browser for all its tabs.

import { createStore, useStore } from "../../kit/create-store.ts";

const place = "threadhold.notifications";

const wanted = createStore(read(), () => {
  const follow = ({ key }: StorageEvent): void => {
    if (key === place || key === null) wanted.set(read());
  };
  addEventListener("storage", follow);
  return () => removeEventListener("storage", follow);
});

function read(): boolean {
  try {
    return localStorage.getItem(place) === "on";
  } catch {
    return false;
  }
}

/** Stores a choice. */
export function chooseNotifications(on: boolean): void {
  wanted.set(on);
  try {
    if (on) localStorage.setItem(place, "on");
    else localStorage.removeItem(place);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

export function useNotificationsWanted(): boolean {
  return useStore(wanted);
}
