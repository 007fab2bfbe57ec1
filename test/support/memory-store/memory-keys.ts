// The synchronous key-value storage of an object, in memory. Values are copied, as the real storage does.

import type { KeyStorage } from "#core/rpc/authorization-rows.ts";

export function memoryKeys(): KeyStorage {
  const values = new Map<string, unknown>();
  return {
    get: <T>(key: string) => structuredClone(values.get(key)) as T | undefined,
    put: (key, value) => void values.set(key, structuredClone(value)),
    delete: (key) => values.delete(key),
    list: <T>({ prefix }: { prefix: string }) =>
      [...values].flatMap(([key, value]): [string, T][] => (key.startsWith(prefix) ? [[key, value as T]] : [])),
  };
}
