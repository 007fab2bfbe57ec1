// Paths of a thread's files as the server writes them: a slash, then names separated by slashes. The root is a single
// slash.

/** The folder that contains a file or folder; the root's is the root. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** The last name of a path; empty for the root. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The path of a name in a folder. */
export function joined(folder: string, name: string): string {
  return `${folder === "/" ? "" : folder}/${name}`;
}

/** Whether a path is a folder, or is below it. */
export function isWithin(folder: string, path: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** The folders above a path, from below the root downwards, without the path itself. */
export function foldersAbove(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, at) => `/${names.slice(0, at + 1).join("/")}`);
}

/** A path with a number in its name, for a name that is taken: `plan (2).md`. */
export function numbered(path: string, number: number): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  return joined(parentOf(path), `${stem} (${number})${extension}`);
}
