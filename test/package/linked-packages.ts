// Gives a project the packages of another one without another installation. Files are hard links, since a copy has 400 MB.

import { linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import path from "node:path";

/** Makes the folder `node_modules` of a project, without the caches that tools write there. */
export function linkPackages(from: string, to: string): void {
  const isInstalled = (name: string): boolean => !name.startsWith(".") || [".bin", ".package-lock.json"].includes(name);
  linkTree(path.join(from, "node_modules"), path.join(to, "node_modules"), isInstalled);
}

function linkTree(from: string, to: string, isWanted: (name: string) => boolean = () => true): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!isWanted(entry.name)) continue;
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}
