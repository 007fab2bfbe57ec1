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
  const recent: { env: E; value: T }[] = [];
  let count = 0;
  return (env) => {
    if (known.has(env)) return known.get(env) as T;
    const equal = recent.find((one) => hasSameEntries(one.env, env));
    if (equal !== undefined) return equal.value;
    const value = create(env);
    known.set(env, value);
    recent.unshift({ env, value });
    recent.length = Math.min(recent.length, most);
    count += 1;
    if (count === most + 1) onMany();
    return value;
  };
}

function hasSameEntries(one: object, other: object): boolean {
  const entries = Object.entries(one);
  if (entries.length !== Object.keys(other).length) return false;
  return entries.every(([name, value]) => Object.hasOwn(other, name) && Object.is(Reflect.get(other, name), value));
}
