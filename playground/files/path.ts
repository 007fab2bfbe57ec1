// Paths of a thread's files as the server spells them: a slash, then names with slashes between. The root is a slash alone.

/** The folder that a file or folder is in; the root is in itself. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** The last name; nothing for the root. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A path below a folder. */
export function joined(folder: string, name: string): string {
  return `${folder === "/" ? "" : folder}/${name}`;
}

/** Whether a path is a folder, or lies below it. */
export function isWithin(folder: string, path: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** The folders on the way to a path, from the root's own children down, without the path itself. */
export function foldersAbove(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, at) => `/${names.slice(0, at + 1).join("/")}`);
}

/** Another name for the same thing, for where its own is taken: `plan (2).md`. */
export function numbered(path: string, number: number): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  return joined(parentOf(path), `${stem} (${number})${extension}`);
}
