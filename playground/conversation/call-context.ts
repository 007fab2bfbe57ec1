// Settings of a page for the calls that wait: how they are shown, and callbacks for the outcome of an answer. A conversation uses the
// defaults.

import { useMutation } from "@tanstack/react-query";
import { createContext, useContext } from "react";

/** The settings of a page, for one call. */
export interface CallSettings {
  /** Address of the call's place in its thread; null on the page of the thread. */
  place: string | null;
  /** The number of characters after which a value is cut until the user asks for the whole. */
  foldAfter: number;
  /** Whether absent arguments are loaded only after a click. */
  loadsOnClick: boolean;
  /** Called when an answer is sent. */
  onSent: () => void;
  /** Called when the server accepted an answer. */
  onAnswered: () => void;
  /** Called when the server refused an answer. */
  onRefused: (error: Error) => void;
}

/** The settings for the calls below. */
export const CallContext = createContext<CallSettings>({
  place: null,
  foldAfter: 4000,
  loadsOnClick: false,
  onSent: () => undefined,
  onAnswered: () => undefined,
  onRefused: () => undefined,
});

/** Sends an answer, and reports its outcome to the page. */
export function useAnswer<Value = void>(send: (value: Value) => Promise<unknown>) {
  const { onSent, onAnswered, onRefused } = useContext(CallContext);
  return useMutation<unknown, Error, Value>({
    mutationFn: send,
    onMutate: onSent,
    onSuccess: onAnswered,
    onError: onRefused,
  });
}
