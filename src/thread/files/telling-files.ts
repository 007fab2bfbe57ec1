// A thread's files, with their changes told: whoever follows the thread hears of each file that is written or deleted.

import type { FileRecord } from "#spec/index.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";

/** The files, telling `changed` after each change. */
export function tellingFiles(
  files: ManagedThreadFiles,
  changed: (path: string, file: FileRecord | null) => void,
): ManagedThreadFiles {
  const written = (file: FileRecord): FileRecord => {
    changed(file.path, file);
    return file;
  };
  return {
    ...files,
    write: async (...call) => written(await files.write(...call)),
    attach: async (...call) => written(await files.attach(...call)),
    link: async (...call) => written(await files.link(...call)),
    async makeFolder(path) {
      const before = await files.stat(path);
      const folder = await files.makeFolder(path);
      return before === null ? written(folder) : folder;
    },
    async remove(path) {
      const file = await files.stat(path);
      await files.remove(path);
      changed(file?.path ?? path, null);
    },
    async removeFolder(path) {
      const folder = await files.stat(path);
      await files.removeFolder(path);
      changed(folder?.path ?? path, null);
    },
  };
}
