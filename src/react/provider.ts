// The client of a page, for all components below.

import { createContext, createElement, useContext, useMemo } from "react";
import type { ReactElement, ReactNode } from "react";

import type { ThreadFilter, ThreadholdClient, Timers } from "#client/index.ts";
import { platformPresence } from "#client/presence.ts";
import type { Presence } from "#client/presence.ts";
import { platformTimers } from "#lib/timers.ts";

import { platformFrame } from "./frame.ts";
import type { Frame } from "./frame.ts";
import { threadListSource } from "./thread-list-source.ts";
import type { ThreadListSource } from "./thread-list-source.ts";
import { threadSource } from "./thread-source.ts";
import type { ThreadSource } from "./thread-source.ts";

/** What a page shares. */
export interface ThreadholdContextValue {
  client: ThreadholdClient;
  thread: (id: string) => ThreadSource;
  threads: (filter: ThreadFilter, everyMs: number) => ThreadListSource;
}

/** What the provider takes; all but the client is the platform's by default. */
export interface ThreadholdProviderProps {
  client: ThreadholdClient;
  children?: ReactNode;
  frame?: Frame | undefined;
  timers?: Timers | undefined;
  presence?: Presence | undefined;
}

const Context = createContext<ThreadholdContextValue | null>(null);

/** Gives a client to the components below. It stays the application's: it is not closed here. */
export function ThreadholdProvider(props: ThreadholdProviderProps): ReactElement {
  const { client, children, frame = platformFrame, timers = platformTimers, presence } = props;
  const value = useMemo(() => {
    const watched = presence ?? platformPresence();
    const threads = new Map<string, ThreadSource>();
    const lists = new Map<string, ThreadListSource>();
    return {
      client,
      thread: (id: string) => entry(threads, id, () => threadSource(client, id, frame)),
      threads: (filter: ThreadFilter, everyMs: number) =>
        entry(lists, `${everyMs} ${JSON.stringify(filter)}`, () =>
          threadListSource({ client, frame, timers, presence: watched }, filter, everyMs),
        ),
    };
  }, [client, frame, timers, presence]);
  return createElement(Context.Provider, { value }, children);
}

/** The client of the provider above. Throws where there is none. */
export function useThreadholdClient(): ThreadholdClient {
  return useThreadhold().client;
}

/** What the page shares. Throws outside of a provider. */
export function useThreadhold(): ThreadholdContextValue {
  const value = useContext(Context);
  if (value === null) throw new Error("This needs a ThreadholdProvider above it.");
  return value;
}

/** Sources that are kept though no component shows them, so that a page that comes back to one has it at once. */
const mostIdle = 50;

function entry<V extends { source: { idle: boolean } }>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const idle = [...map].filter(([, { source }]) => source.idle);
  for (const [old] of idle.slice(0, Math.max(0, idle.length - mostIdle))) map.delete(old);
  const made = make();
  map.set(key, made);
  return made;
}
