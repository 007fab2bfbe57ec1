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

/** Matches the name of a file that may be a definition. */
export const sourceFile = /\.(?:ts|js|mjs)$/;
const notADefinition = /\.d\.ts$|\.(?:test|spec)\.(?:ts|js|mjs)$/;

/** All definition files below a root, sorted by path. */
export function findProjectFiles(root: string): ProjectFile[] {
  return definitionFolders
    .flatMap((folder) =>
      definitionFiles(join(root, "agents", folder)).map((path) => ({
        file: `agents/${folder}/${path}`,
        folder,
        stem: path.replace(sourceFile, ""),
      })),
    )
    .toSorted((one, other) => (one.file < other.file ? -1 : 1));
}

function definitionFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return listSources(folder, "", sourceFile).filter((path) => !notADefinition.test(path));
}

/** The files below a folder whose names match, without files and folders with a leading `_` or `.`. */
export function listSources(folder: string, prefix: string, name: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (/^[._]/.test(entry.name) || entry.name === "node_modules") return [];
    if (entry.isDirectory()) return listSources(join(folder, entry.name), `${prefix}${entry.name}/`, name);
    return name.test(entry.name) ? [`${prefix}${entry.name}`] : [];
  });
}

/** The last part of a file's stem, which is a tool's name. */
export function baseName(file: ProjectFile): string {
  return file.stem.slice(file.stem.lastIndexOf("/") + 1);
}
