// Choices that a page keeps in the query of its address, so that a link or a reload shows the same.

import { useSearchParams } from "wouter";

/**
 * The parameters, and the function that changes some of them without a new entry in the browser's history. Null removes
 * a parameter.
 */
export function useAddress<Change extends Partial<Record<string, string | null>>>(): [
  URLSearchParams,
  (change: Change) => void,
] {
  const [params, setParams] = useSearchParams();
  const change = (next: Change): void => {
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(next)) {
          if (value === null || value === undefined) after.delete(name);
          else after.set(name, value);
        }
        return after;
      },
      { replace: true },
    );
  };
  return [params, change];
}
