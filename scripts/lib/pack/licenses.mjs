// The licences of the packages whose code is part of a bundle. Their terms require that copies of the code carry them.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/**
 * @param {Iterable<string>} files the files of the bundle, as absolute paths; files outside of `node_modules` have no entry
 * @returns {string}
 */
export function licenseTexts(files) {
  const folders = new Set([...files].flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...folders]
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((folder) => {
      const { name, version, license, author } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      if (file !== undefined) return `${name} ${version}\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
      if (license === undefined) throw new Error(`${name} names no licence.`);
      // Some packages have the name of their licence alone.
      const by = author === undefined ? "" : `Author: ${author.name ?? author}\n`;
      return `${name} ${version}\n\nLicense: ${license}\n${by}`;
    });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
