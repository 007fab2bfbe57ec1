// The environment of the process that executes a run.

/** The environment variables of this process, from which keys and base URLs are read. Empty where there is no process. */
export function environment(): Record<string, unknown> {
  const { process } = globalThis as { process?: { env?: Record<string, unknown> } };
  return process?.env ?? {};
}
