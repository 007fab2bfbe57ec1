// The React context that gives a client to all components below the provider, with the threads and lists that they share.

import { createContext, createElement, useContext, useMemo } from "react";
import type { ReactElement, ReactNode } from "react";

import type { ThreadFilter, ThreadholdClient } from "#client/index.ts";

import { platformFrame } from "./frame.ts";
import type { Frame } from "./frame.ts";
import { threadListSource } from "./thread-list-source.ts";
import type { ThreadListSource } from "./thread-list-source.ts";
import { threadSource } from "./thread-source.ts";
import type { ThreadSource } from "./thread-source.ts";

/** The provider's client, and functions that find or create its sources of threads and lists. */
export interface ThreadholdContextValue {
  client: ThreadholdClient;
  thread: (id: string) => ThreadSource;
  threads: (filter: ThreadFilter, everyMs: number | undefined) => ThreadListSource;
}

/** Props of the provider. `frame` is the platform's by default. */
export interface ThreadholdProviderProps {
  client: ThreadholdClient;
  children?: ReactNode;
  frame?: Frame | undefined;
}

const Context = createContext<ThreadholdContextValue | null>(null);

/** Gives a client to the components below. The application owns the client: the provider never closes it. */
export function ThreadholdProvider(props: ThreadholdProviderProps): ReactElement {
  const { client, children, frame = platformFrame } = props;
  const value = useMemo(() => {
    const threads = new Map<string, ThreadSource>();
    const lists = new Map<string, ThreadListSource>();
    return {
      client,
      thread: (id: string) => findOrCreate(threads, id, () => threadSource(client, id, frame)),
      threads: (filter: ThreadFilter, everyMs: number | undefined) =>
        findOrCreate(lists, `${everyMs} ${JSON.stringify(filter)}`, () =>
          threadListSource(client, { filter, everyMs }, frame),
        ),
    };
  }, [client, frame]);
  return createElement(Context.Provider, { value }, children);
}

/** The client of the nearest provider. Throws if there is none. */
export function useThreadholdClient(): ThreadholdClient {
  return useThreadhold().client;
}

/** The value of the context. Throws outside of a provider. */
export function useThreadhold(): ThreadholdContextValue {
  const value = useContext(Context);
  if (value === null)
    throw new Error("No ThreadholdProvider found; render one above the component that uses this hook.");
  return value;
}

/** The maximum number of unused sources that are kept. A page that returns to a thread or list shows a kept source at once. */
const maxIdle = 50;

function findOrCreate<V extends { source: { idle: boolean } }>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const idle = [...map].filter(([, { source }]) => source.idle);
  for (const [old] of idle.slice(0, Math.max(0, idle.length - maxIdle))) map.delete(old);
  const created = make();
  map.set(key, created);
  return created;
}
