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

type Listener = (event: { type: string }) => void;

interface Target {
  addEventListener(type: string, listener: Listener): void;
  removeEventListener(type: string, listener: Listener): void;
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
      const change: Listener = ({ type }) => {
        if (type === "online" || type === "offline") listener(type);
        else if (document.visibilityState === "visible") listener("visible");
      };
      const listen = (method: keyof Target): void => {
        window[method]("online", change);
        window[method]("offline", change);
        document[method]("visibilitychange", change);
      };
      listen("addEventListener");
      return () => listen("removeEventListener");
    },
  };
}
