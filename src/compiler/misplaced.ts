// Finds definitions that no build reads: in a folder of `agents/` whose name is no folder of definitions, directly in `agents/`, or in a
// file with an extension of no definition. Files of helpers stay without a finding: a file counts if a function `define…` makes its
// default export, or if it has a default export and the name of its folder is almost that of a folder of definitions.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { closestWord } from "#lib/edit-distance.ts";

import { definitionFolders, folderMakers, type DefinitionFolder } from "./definition-kind.ts";
import type { Findings } from "./findings.ts";
import { listSources, sourceFile } from "./project-file.ts";
import type { SyntaxTrees } from "./syntax-tree.ts";

/** A definition that is not compiled. */
export interface MisplacedDefinition {
  file: string;
  /** Where the definition has to be. */
  target: string;
  /** The name that other definitions use; undefined if the file does not spell it out. */
  name: string | undefined;
}

/** Folders of `agents/` whose files are no definitions. */
const otherFolders = ["skills"];

/** Finds the misplaced definitions of a project and reports each as a warning. */
export function findMisplaced(
  root: string,
  { findings, trees }: { findings: Findings; trees: SyntaxTrees },
): MisplacedDefinition[] {
  const folder = join(root, "agents");
  if (!existsSync(folder)) return [];
  const known: readonly string[] = [...definitionFolders, ...otherFolders];
  const files = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (/^[._]/.test(entry.name) || entry.name === "node_modules" || otherFolders.includes(entry.name)) return [];
    if (!entry.isDirectory()) return entry.isFile() && code.test(entry.name) ? [entry.name] : [];
    const inside = listSources(join(folder, entry.name), `${entry.name}/`, code);
    return known.includes(entry.name) ? inside.filter((file) => !sourceFile.test(file)) : inside;
  });
  return files
    .filter((file) => !/\.d\.[cm]?ts$|\.(?:test|spec)\.\w+$/.test(file))
    .flatMap((path) => misplaced(path, trees) ?? [])
    .map(({ reason, ...found }) => {
      const { file, target } = found;
      findings.warning({
        code: "misplaced",
        file,
        path: [],
        message: `${reason}, so this file is not compiled`,
        suggestion: target,
      });
      return found;
    });
}

const code = /\.[cm]?[jt]sx?$/;

function misplaced(path: string, trees: SyntaxTrees): (MisplacedDefinition & { reason: string }) | undefined {
  const file = `agents/${path}`;
  const { isExported, maker } = trees.defaultExport(file);
  const slash = path.indexOf("/");
  const written = slash === -1 ? undefined : path.slice(0, slash);
  const similar = written === undefined ? undefined : folderLike(written);
  const folder = (maker === undefined ? undefined : folderOfMaker(maker)) ?? (isExported ? similar : undefined);
  if (folder === undefined) return undefined;
  const inside = path.slice(slash + 1);
  const target = `agents/${folder}/${inside.replace(code, sourceFile.test(inside) ? "$&" : ".ts")}`;
  const stem = inside.slice(inside.lastIndexOf("/") + 1).replace(code, "");
  const reason =
    written === undefined
      ? "agents/ itself has no definitions"
      : written === folder
        ? `definitions have the extensions .ts, .js and .mjs, and not ${code.exec(path)?.[0] ?? ""}`
        : `agents/${written}/ is no folder of ${folder === "api" ? "endpoints" : folder}`;
  return { file, target, reason, name: folder === "tools" ? stem : trees.literalName(file) };
}

function folderLike(written: string): DefinitionFolder | undefined {
  const plural = definitionFolders.find((folder) => folder === `${written.toLowerCase()}s`);
  const similar = plural ?? closestWord(written, definitionFolders);
  return definitionFolders.find((folder) => folder === similar);
}

function folderOfMaker(maker: string): DefinitionFolder | undefined {
  if (maker === "defineRemoteTool") return "tools";
  return definitionFolders.find((folder) => folderMakers[folder].split(" or ").includes(maker));
}
