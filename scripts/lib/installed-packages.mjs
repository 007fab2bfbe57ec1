// Tells whether node_modules is what the lockfile says, from the record npm leaves there. Comparing versions instead of
// keeping a stamp of our own means that an `npm install` by hand is recognised and an interrupted one is not.

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
    // Optional packages are the builds for other platforms: absent is right, another version is not.
    if (found === undefined ? !wanted.optional : found.version !== wanted.version) missing.push(location);
  }
  return missing;
}
