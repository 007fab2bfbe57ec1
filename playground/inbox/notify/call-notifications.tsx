// Notifies the user of calls that begin to wait, if the browser permits it. Renders nothing.

import { useEffect, useRef } from "react";
import { useLocation } from "wouter";

import { useCaller } from "../../access/use-caller.ts";
import { asks } from "../../conversation/pending-calls.tsx";
import { useNameOf } from "../../threads/thread-title.ts";
import { placeOf } from "../waiting-call.ts";
import type { WaitingCall } from "../waiting-call.ts";
import { useWaitingList } from "../waiting-list.ts";
import { notifyOfCalls } from "./call-notifier.ts";
import { recordRefusal, usePermission } from "./permission.ts";
import { holdLock, isHeld } from "./tab-locks.ts";

export function CallNotifications(): null {
  const permission = usePermission();
  const caller = useCaller();
  const [path, navigate] = useLocation();
  const list = useWaitingList();
  const nameOf = useNameOf();
  const latest = useRef({ navigate, nameOf });
  latest.current = { navigate, nameOf };
  const works = permission === "granted" && caller !== undefined;
  const user = caller?.user_id ?? "";

  useEffect(() => {
    if (!works) return undefined;
    let leads = false;
    // Of one user's tabs, only the tab that holds the lock notifies. Another user's tabs list other threads.
    const leave = holdLock(`threadhold.notifies ${user}`, "exclusive", () => {
      leads = true;
    });
    const stop = notifyOfCalls({
      list,
      isLeading: () => leads,
      isShown: ({ thread, call }) => isHeld([shown("/inbox"), ...[thread.id, call.thread_id ?? ""].map(shownThread)]),
      show: (waiting) => show(waiting, latest.current),
    });
    return () => {
      stop();
      leave();
    };
  }, [works, user, list]);

  useEffect(() => {
    if (!works) return undefined;
    let leave = (): void => undefined;
    const update = (): void => {
      leave();
      leave = document.visibilityState === "visible" ? holdLock(shown(path), "shared") : () => undefined;
    };
    update();
    document.addEventListener("visibilitychange", update);
    return () => {
      document.removeEventListener("visibilitychange", update);
      leave();
    };
  }, [works, path]);
  return null;
}

const shown = (path: string): string => `threadhold.shows ${path}`;
const shownThread = (id: string): string => shown(`/threads/${encodeURIComponent(id)}`);

interface Page {
  navigate: (path: string) => void;
  nameOf: ReturnType<typeof useNameOf>;
}

/** Shows the tool's name and the thread's title, and no arguments, because others may see the screen. */
function show(waiting: WaitingCall, { navigate, nameOf }: Page): () => void {
  const { thread, call, key } = waiting;
  const title = call.kind === "limit" ? asks.limit : `${call.name} ${asks[call.kind]}`;
  try {
    const notification = new Notification(title, { body: nameOf(thread), tag: key });
    notification.addEventListener("click", () => {
      focus();
      navigate(placeOf(waiting));
      notification.close();
    });
    return () => notification.close();
  } catch (error) {
    // Browsers that have notifications for service workers alone throw this.
    if (!(error instanceof TypeError)) throw error;
    recordRefusal();
    return () => undefined;
  }
}
