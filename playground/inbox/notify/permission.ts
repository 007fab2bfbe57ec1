// The browser's permission for notifications, as a value that stays current.

import { createStore, useStore } from "../../kit/create-store.ts";

/**
 * `unsupported`: the page has no notifications, for example because it was not loaded over https. `refused`: the browser has them for
 * service workers alone, as on Android; the page's policy allows no service worker.
 */
export type Permission = NotificationPermission | "unsupported" | "refused";

const permission = createStore<Permission>(read(), () => {
  const leave = new AbortController();
  const update = (): void => permission.set(permission.get() === "refused" ? "refused" : read());
  // Without this interface the permission is read when the user uses the switch.
  navigator.permissions?.query({ name: "notifications" }).then(
    (status) => status.addEventListener("change", update, { signal: leave.signal }),
    () => undefined,
  );
  update();
  return () => leave.abort();
});

function read(): Permission {
  const { Notification: found } = globalThis as { Notification?: typeof Notification };
  // A Web Lock selects the tab that notifies, so locks are required.
  return found === undefined || !isSecureContext || !("locks" in navigator) ? "unsupported" : found.permission;
}

/** Asks for the permission. Browsers show the question only after a click. */
export async function requestPermission(): Promise<Permission> {
  await Notification.requestPermission();
  permission.set(read());
  return permission.get();
}

/** Records that the browser refused to create a notification from a page. */
export function recordRefusal(): void {
  permission.set("refused");
}

export function usePermission(): Permission {
  return useStore(permission);
}
