// Finds files of src/ with the same name, because a name should lead to one file. Every folder may have an `index.ts`, and folders with the
// same structure, such as two dialects, may have files of the same names.

/** Folders whose subfolders have the same structure. */
const parallelRooms = ["src/dialect", "src/models/provider"];

/**
 * @param {readonly string[]} files paths from the project's root
 * @returns {string[]} a line for each name that several files share
 */
export function sharedNames(files) {
  /** @type {Map<string, string[]>} */
  const byName = new Map();
  for (const file of files) {
    const name = file.slice(file.lastIndexOf("/") + 1);
    if (!/^src\/.*\.tsx?$/.test(file) || name === "index.ts") continue;
    const others = byName.get(name) ?? [];
    if (!others.some((other) => isSameRoom(file, other))) byName.set(name, [...others, file]);
  }
  return [...byName.values()]
    .filter((paths) => paths.length > 1)
    .map((paths) => `${paths.join(", ")}: files of one name; rename all but one`);
}

/** Whether two files are at the same depth below one of `parallelRooms`. */
function isSameRoom(/** @type {string} */ file, /** @type {string} */ other) {
  const room = parallelRooms.find((folder) => file.startsWith(`${folder}/`) && other.startsWith(`${folder}/`));
  return room !== undefined && file.split("/").length === other.split("/").length;
}
