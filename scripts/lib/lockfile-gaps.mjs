// Finds builds for other platforms that a lockfile names but lacks, and adds them. npm leaves them out if the registry does not offer
// them. `npm ci` then refuses the lockfile on every platform.

/** @typedef {{ version?: string, optional?: boolean, dev?: boolean, os?: string[], cpu?: string[], libc?: string[], optionalDependencies?: Record<string, string> }} LockEntry */
/** @typedef {{ name: string, version: string, location: string, dev: boolean }} Gap */

/** The locations in which Node looks for a package, innermost first. */
function* candidates(from, name) {
  const parts = from.split("/node_modules/");
  for (let depth = parts.length; depth > 0; depth--) {
    yield `${parts.slice(0, depth).join("/node_modules/")}/node_modules/${name}`;
  }
  yield `node_modules/${name}`;
}

/**
 * @param {Record<string, LockEntry>} packages of a package-lock.json
 * @returns {Gap[]}
 */
export function lockfileGaps(packages) {
  const gaps = [];
  for (const [from, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (![...candidates(from, name)].some((location) => location in packages)) {
        gaps.push({ name, version, location: `node_modules/${name}`, dev: entry.dev ?? false });
      }
    }
  }
  return gaps;
}

const systems = { windows: "win32", win32: "win32", darwin: "darwin", linux: "linux" };
const others = ["android", "freebsd", "netbsd", "openbsd", "openharmony", "sunos", "aix"];
const processors = ["x64", "arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "loong64", "mips64el", "wasm32"];

/**
 * The lockfile entry of a build, whose name contains its platform: `binding-linux-x64-musl`, `workerd-darwin-64`.
 *
 * @param {Gap} gap
 * @returns {LockEntry | undefined} undefined if the name contains no platform
 */
export function platformEntry({ name, version, dev }) {
  const words = name.split("/").at(-1)?.split("-") ?? [];
  const system = words.map((word) => systems[word] ?? (others.includes(word) ? word : undefined)).find(Boolean);
  const processor = words.find((word) => processors.includes(word)) ?? (words.at(-1) === "64" ? "x64" : undefined);
  if (system === undefined || processor === undefined || !/^\d/.test(version)) return undefined;
  const libc = words.some((word) => word.startsWith("musl"))
    ? ["musl"]
    : words.some((word) => word.startsWith("gnu"))
      ? ["glibc"]
      : undefined;
  return {
    version,
    cpu: [processor],
    ...(dev ? { dev } : {}),
    ...(libc ? { libc } : {}),
    optional: true,
    os: [system],
  };
}
