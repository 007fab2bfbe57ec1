// Converts dropped items to files with their paths. A folder is read, and its files keep their paths in it.

/** A file, and its path relative to the drop target. */
export interface DroppedFile {
  path: string;
  file: File;
}

/** The used fields of the browser's entry for a dropped file or folder. */
export interface DroppedEntry {
  readonly name: string;
  readonly isDirectory: boolean;
  file?: (taken: (file: File) => void, failed: (error: Error) => void) => void;
  createReader?: () => {
    /** Returns some of the entries at each call, and none at the end. */
    readEntries: (taken: (entries: DroppedEntry[]) => void, failed: (error: Error) => void) => void;
  };
}

/** The used fields of the browser's drop data. */
export interface Dropped {
  readonly files: Iterable<File>;
  readonly items: Iterable<{ webkitGetAsEntry: () => DroppedEntry | null }>;
}

/** The files. Call it directly in the drop event, because the browser clears the data afterwards. */
export function droppedFiles({ files, items }: Dropped): Promise<DroppedFile[]> {
  const entries = Array.from(items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (!entries.some(({ isDirectory }) => isDirectory)) {
    return Promise.resolve(Array.from(files, (file) => ({ path: file.name, file })));
  }
  return Promise.all(entries.map((entry) => filesIn(entry, entry.name))).then((all) => all.flat());
}

async function filesIn(entry: DroppedEntry, path: string): Promise<DroppedFile[]> {
  if (!entry.isDirectory) {
    const file = await new Promise<File>((taken, failed) => entry.file?.(taken, failed));
    return [{ path, file }];
  }
  const reader = entry.createReader?.();
  const found: DroppedFile[] = [];
  for (;;) {
    const some = await new Promise<DroppedEntry[]>((taken, failed) =>
      reader === undefined ? taken([]) : reader.readEntries(taken, failed),
    );
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await filesIn(one, `${path}/${one.name}`)));
  }
}
