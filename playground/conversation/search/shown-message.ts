// The message at which a thread's page opens, and the text to search for. Both are in the address, so that a link can
// lead to a message.

import { createContext } from "react";

import { useAddress } from "../../kit/use-address.ts";

/** A search in a thread. */
export interface MessageQuery {
  /** The text; null while the search is closed. */
  find: string | null;
  /** Id of the message that is shown. */
  message: string | null;
}

/** The search, and the function that changes it. */
export function useMessageQuery(): [MessageQuery, (change: Partial<MessageQuery>) => void] {
  const [params, change] = useAddress<Partial<MessageQuery>>();
  return [{ find: params.get("find"), message: params.get("message") }, change];
}

/** Address of a message of a thread, found by a search. `path` is the address of the thread. */
export function foundMessagePath(path: string, query: { find: string; message: string }): string {
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(query).toString()}`;
}

/** Id of the message that is marked in the list. */
export const ShownMessage = createContext<string | null>(null);
