// Whether anybody is there to read: the network as the browser sees it, and the page being looked at. A hint and no more, since
// a browser calls itself offline while a server on the same machine answers.

/** `visible`: the page is looked at again, so what was put off is due. */
export type PresenceChange = "online" | "offline" | "visible";

/** Tells of it. */
export interface Presence {
  readonly online: boolean;
  /** Somebody may be looking. */
  readonly visible: boolean;
  /** Calls `listener` at every change until the function given back is called. */
  watch(listener: (change: PresenceChange) => void): () => void;
}

interface Target {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

interface Page {
  document?: Target & { visibilityState?: string };
  navigator?: { onLine?: boolean };
}

const always: Presence = { online: true, visible: true, watch: () => () => undefined };

/** A page's; outside of one always online. */
export function platformPresence(): Presence {
  const { document, navigator } = globalThis as Page;
  if (document === undefined) return always;
  const window = globalThis as unknown as Target;
  return {
    get online() {
      return navigator?.onLine !== false;
    },
    get visible() {
      return document.visibilityState !== "hidden";
    },
    watch(listener) {
      const online = (): void => listener("online");
      const offline = (): void => listener("offline");
      const seen = (): void => {
        if (document.visibilityState === "visible") listener("visible");
      };
      window.addEventListener("online", online);
      window.addEventListener("offline", offline);
      document.addEventListener("visibilitychange", seen);
      return () => {
        window.removeEventListener("online", online);
        window.removeEventListener("offline", offline);
        document.removeEventListener("visibilitychange", seen);
      };
    },
  };
}
