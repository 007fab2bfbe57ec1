// Finds the files of `agents/`: TypeScript and JavaScript files in the folders of definitions, without tests, declaration files, and files
// or folders with a leading `_` or `.`.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { definitionFolders, type DefinitionFolder } from "./definition-kind.ts";

/** The file of a definition. */
export interface ProjectFile {
  /** Path from the project's root, with forward slashes. */
  file: string;
  folder: DefinitionFolder;
  /** Path inside the folder, without the extension. */
  stem: string;
}

const sourceFile = /\.(?:ts|js|mjs)$/;
const notADefinition = /\.d\.ts$|\.(?:test|spec)\.(?:ts|js|mjs)$/;

/** All definition files below a root, sorted by path. */
export function findProjectFiles(root: string): ProjectFile[] {
  return definitionFolders
    .flatMap((folder) =>
      listFiles(join(root, "agents", folder), "").map((path) => ({
        file: `agents/${folder}/${path}`,
        folder,
        stem: path.replace(sourceFile, ""),
      })),
    )
    .toSorted((one, other) => (one.file < other.file ? -1 : 1));
}

function listFiles(folder: string, prefix: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (/^[._]/.test(entry.name) || entry.name === "node_modules") return [];
    if (entry.isDirectory()) return listFiles(join(folder, entry.name), `${prefix}${entry.name}/`);
    return sourceFile.test(entry.name) && !notADefinition.test(entry.name) ? [`${prefix}${entry.name}`] : [];
  });
}

/** The last part of a file's stem, which is a tool's name. */
export function baseName(file: ProjectFile): string {
  return file.stem.slice(file.stem.lastIndexOf("/") + 1);
}
