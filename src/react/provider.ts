// The client of a page, for all components below.

import { createContext, createElement, useContext, useMemo } from "react";
import type { ReactElement, ReactNode } from "react";

import type { ThreadFilter, ThreadholdClient } from "#client/index.ts";

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
  threads: (filter: ThreadFilter, everyMs: number | undefined) => ThreadListSource;
}

/** What the provider takes; frames are the platform's by default. */
export interface ThreadholdProviderProps {
  client: ThreadholdClient;
  children?: ReactNode;
  frame?: Frame | undefined;
}

const Context = createContext<ThreadholdContextValue | null>(null);

/** Gives a client to the components below. It stays the application's: it is not closed here. */
export function ThreadholdProvider(props: ThreadholdProviderProps): ReactElement {
  const { client, children, frame = platformFrame } = props;
  const value = useMemo(() => {
    const threads = new Map<string, ThreadSource>();
    const lists = new Map<string, ThreadListSource>();
    return {
      client,
      thread: (id: string) => entry(threads, id, () => threadSource(client, id, frame)),
      threads: (filter: ThreadFilter, everyMs: number | undefined) =>
        entry(lists, `${everyMs} ${JSON.stringify(filter)}`, () =>
          threadListSource(client, { filter, everyMs }, frame),
        ),
    };
  }, [client, frame]);
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
