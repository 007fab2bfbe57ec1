// Compares node_modules with the lockfile by the record that npm writes there. A comparison of versions, in place of a stamp of our own,
// recognises a manual `npm install` and an interrupted one.

/** @typedef {{ version?: string, optional?: boolean, link?: boolean, resolved?: string }} LockedPackage */
/** @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile */

/**
 * @param {Lockfile} lockfile the project's package-lock.json
 * @param {Lockfile | undefined} installed node_modules/.package-lock.json, written by npm when an install has finished
 * @returns {string[]} what is missing or of another version, empty when the install is complete
 */
export function missingPackages(lockfile, installed) {
  const present = installed?.packages ?? {};
  const missing = [];
  for (const [location, wanted] of Object.entries(lockfile.packages ?? {})) {
    if (location === "") continue;
    const found = present[location];
    // Optional packages are builds for other platforms: they may be missing, but not have another version.
    if (found === undefined ? !wanted.optional : found.version !== wanted.version) missing.push(location);
  }
  return missing;
}
