// Stores which version of the package compiled a project, for `threadhold upgrade`. The previous version is stored too, because a build may
// run between an upgrade of the package and that command.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { readIfExists, writeIfChanged } from "./changed-file.ts";

const versionFile = ".threadhold/package-version.json";

/** The versions that compiled a project. */
export interface PackageVersions {
  /** The version of the last build. */
  current: string;
  /** The version of the builds before the first build with `current`; absent if there was none. */
  previous?: string;
}

export function packageVersion(packageRoot: string): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  return version;
}

/** Records that this version of the package compiled a project. */
export function recordPackageVersion(root: string, packageRoot: string): void {
  const version = packageVersion(packageRoot);
  const before = readPackageVersions(root);
  const previous = before?.current === version ? before.previous : before?.current;
  const versions: PackageVersions = { current: version, ...(previous === undefined ? {} : { previous }) };
  writeIfChanged(join(root, versionFile), `${JSON.stringify(versions)}\n`);
}

/** The versions that compiled a project; null if it was not compiled here, or the file is damaged. */
export function readPackageVersions(root: string): PackageVersions | null {
  try {
    const { current, previous } = JSON.parse(
      readIfExists(join(root, versionFile))?.toString("utf8") ?? "null",
    ) as Record<string, unknown>;
    if (typeof current !== "string") return null;
    return { current, ...(typeof previous === "string" ? { previous } : {}) };
  } catch {
    return null;
  }
}
