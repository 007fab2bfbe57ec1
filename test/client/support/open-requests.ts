// Client requests with time, randomness and page presence under a test's control.

import type { Presence, PresenceChange } from "#client/presence.ts";
import { Requests } from "#client/send-request.ts";
import { readSettings } from "#client/settings.ts";
import type { ClientOptions } from "#client/settings.ts";

import { ManualTime } from "../../http/support/manual-timers.ts";

/** A page that a test hides and shows. */
export class ManualPresence implements Presence {
  online = true;
  visible = true;
  readonly #listeners = new Set<(change: PresenceChange) => void>();

  watch(listener: (change: PresenceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(change: PresenceChange): void {
    if (change === "visible") this.visible = true;
    else this.online = change === "online";
    for (const listener of this.#listeners) listener(change);
  }

  get watched(): boolean {
    return this.#listeners.size > 0;
  }
}

/** Creates requests to an address, by default to one that does not exist. */
export function openRequests(options: ClientOptions = {}) {
  const time = new ManualTime();
  const presence = new ManualPresence();
  const settings = readSettings({ url: "http://127.0.0.1:9", timers: time, random: () => 0.5, presence, ...options });
  return { requests: new Requests(settings), time, presence };
}
