// One value for each set of bindings and variables. The platform passes the same `env` object to each request of an isolate. A Worker that
// mounts the API may pass a copy, such as `{ ...env, REGION: "eu" }`: a copy with the same entries gets the value of the first one. Contract:
// an environment never gets a value of other bindings or variables.

/** How many environments are remembered. */
const most = 8;

/**
 * Returns a function that creates a value for each environment once. `onMany` is called once if more environments than are remembered have
 * come: then each value is created again and again, and what it counts in memory is lost.
 */
export function byEnvironment<E extends object, T>(create: (env: E) => T, onMany: () => void): (env: E) => T {
  const known = new WeakMap<E, T>();
  const recent: { entries: ReadonlyMap<string, unknown>; value: T }[] = [];
  let count = 0;
  return (env) => {
    if (known.has(env)) return known.get(env) as T;
    // An object with inherited entries is compared with no other. The entries are copied, because the caller may change its object later.
    const entries = isPlain(env) ? new Map<string, unknown>(Object.entries(env)) : null;
    const equal = entries === null ? undefined : recent.find((one) => hasSameEntries(one.entries, entries));
    if (equal !== undefined) return equal.value;
    const value = create(env);
    known.set(env, value);
    if (entries !== null) recent.unshift({ entries, value });
    recent.length = Math.min(recent.length, most);
    count += 1;
    if (count === most + 1) onMany();
    return value;
  };
}

function isPlain(env: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(env);
  return prototype === Object.prototype || prototype === null;
}

function hasSameEntries(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return (
    one.size === other.size && [...other].every(([name, value]) => one.has(name) && Object.is(one.get(name), value))
  );
}
