// Whether the browser is online and whether the page is visible. Both are hints only: a browser may report that it is offline
// while a server on the same machine is reachable.

/** A change. `visible`: the page became visible again, so delayed requests should be sent. */
export type PresenceChange = "online" | "offline" | "visible";

/** Reports network state and visibility. */
export interface Presence {
  readonly online: boolean;
  /** Whether the page is visible. */
  readonly visible: boolean;
  /** Calls `listener` at every change until the returned function is called. */
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

const alwaysPresent: Presence = { online: true, visible: true, watch: () => () => undefined };

/** The presence of the current page. Outside of a browser it is always online and visible. */
export function platformPresence(): Presence {
  const { document, navigator } = globalThis as Page;
  if (document === undefined) return alwaysPresent;
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
      const visible = (): void => {
        if (document.visibilityState === "visible") listener("visible");
      };
      window.addEventListener("online", online);
      window.addEventListener("offline", offline);
      document.addEventListener("visibilitychange", visible);
      return () => {
        window.removeEventListener("online", online);
        window.removeEventListener("offline", offline);
        document.removeEventListener("visibilitychange", visible);
      };
    },
  };
}
