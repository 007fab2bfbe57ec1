// The environment variables that programs on this machine receive. Other variables of this process may hold secrets, such as API keys.

/** The variables that programs usually need. */
const inherited = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/** Returns the inherited variables with their values in this process. */
export function hostEnvironment(): Record<string, string> {
  const entries = inherited.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
