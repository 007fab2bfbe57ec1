// What was dropped, as files with their paths: a folder is opened, and its files keep their places in it.

/** A file, and its path below where it was dropped. */
export interface DroppedFile {
  path: string;
  file: File;
}

/** What a browser gives for a dropped file or folder, as far as it is used. */
export interface DroppedEntry {
  readonly name: string;
  readonly isDirectory: boolean;
  file?: (taken: (file: File) => void, failed: (error: Error) => void) => void;
  createReader?: () => {
    /** Gives some of the entries, and none when all were given. */
    readEntries: (taken: (entries: DroppedEntry[]) => void, failed: (error: Error) => void) => void;
  };
}

/** What was dropped, as far as it is used. */
export interface Dropped {
  readonly files: Iterable<File>;
  readonly items: Iterable<{ webkitGetAsEntry: () => DroppedEntry | null }>;
}

/** The files. What was dropped has to be asked at once: later a browser has forgotten it. */
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
