// Writes the tables of models. A table's comment and its groups with other sources stay; the group of models.dev is written again and states
// only the facts that the other groups do not state.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { transform } from "esbuild";

import { modelRow } from "./model-row.mjs";
import { api, repository } from "./read-source.mjs";
import { tables } from "./tables.mjs";

/** @typedef {import("./model-row.mjs").Row} Row */
/** @typedef {{ source: { url: string, date: string }, models: Record<string, Row> }} Group */

/**
 * Writes all tables, after all models have been read. Returns a line about each.
 * @param {import("./read-source.mjs").Source} source
 * @param {string} into
 */
export async function writeTables({ originOf, providers }, into) {
  const written = await Promise.all(
    Object.entries(tables).map(async ([name, table]) => {
      const file = path.join(into, `${name}-facts.ts`);
      const { heading, groups } = await readTable(file, table);
      const kept = groups.filter(({ source: { url } }) => !url.startsWith(`${repository}/`) && url !== api);
      const models = Object.entries(Object.fromEntries(providers.get(table.provider) ?? []))
        .map(([id, model]) => /** @type {const} */ ([id, modelRow(table.provider, id, model, table)]))
        .filter((entry) => entry[1] !== null)
        .map(([id, row]) => /** @type {const} */ ([id, withoutKnown(/** @type {Row} */ (row), id, kept)]))
        .filter(([, row]) => row.some((fact) => fact !== null && fact !== ""));
      const group = { source: originOf(table.provider), models: Object.fromEntries(models) };
      return { file, text: tableText(heading, [...kept, group]), line: `${name}: ${models.length} models` };
    }),
  );
  for (const { file, text } of written) writeFileSync(file, text);
  return written.map(({ line }) => line);
}

/** A row without the facts that other groups state. */
function withoutKnown(row, id, groups) {
  const rows = groups.flatMap(({ models }) => (Object.hasOwn(models, id) ? [models[id]] : []));
  const states = (part) =>
    rows.some((known) => part(known).some((fact) => fact !== null && fact !== undefined && fact !== ""));
  const [window, input, output, prices, letters, long] = row;
  const hasPrices = states((known) => [known[3]]);
  const limits = states((known) => known.slice(0, 3)) ? [null, null, null] : [window, input, output];
  const shortened = [...limits, hasPrices ? null : prices, states((known) => [known[4]]) ? "" : letters];
  return long === undefined || hasPrices ? shortened : [...shortened, long];
}

/** The comment and the groups of a file; those of a new one if it does not exist. */
async function readTable(file, table) {
  const { title, withoutPrices } = table;
  const about = [
    `Models of ${title} at its own address.`,
    ...(withoutPrices === undefined ? [] : [`Prices are absent. ${withoutPrices}`]),
  ];
  if (!existsSync(file)) return { heading: commentOf(about.join(" ")), groups: [] };
  const text = readFileSync(file, "utf8");
  const heading = /^(?:\/\/.*\n)+/.exec(text)?.[0] ?? commentOf(about.join(" "));
  const { code } = await transform(text, { loader: "ts", format: "esm" });
  const { facts } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  if (!Array.isArray(facts)) throw new Error(`${file} exports no list "facts". Restore it from Git.`);
  return { heading, groups: facts };
}

/** A comment in lines of at most 140 characters. */
function commentOf(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > 138) lines.push(` ${word}`);
    else lines[lines.length - 1] = line;
  }
  return lines.map((line) => `//${line}\n`).join("");
}

function tableText(heading, groups) {
  return `${heading}
import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
${groups.map(groupText).join("")}];
`;
}

function groupText({ source: { url, date }, models }) {
  const rows = Object.entries(models).map(([id, row]) => `      ${key(id)}: ${value(trimmed(row))},\n`);
  const inLine = `    source: { url: ${value(url)}, date: ${value(date)} },`;
  const fields =
    inLine.length <= 120 ? inLine : `    source: {\n      url: ${value(url)},\n      date: ${value(date)},\n    },`;
  return `  {\n${fields}\n    models: {\n${rows.join("")}    },\n  },\n`;
}

/** A row without absent facts at its end. */
function trimmed(row) {
  const last = row.findLastIndex((fact, at) => at < 3 || (fact !== null && fact !== "" && fact !== undefined));
  return row.slice(0, last + 1);
}

const key = (id) => (/^[A-Za-z_$][\w$]*$/.test(id) ? id : JSON.stringify(id));

function value(fact) {
  if (Array.isArray(fact)) return `[${fact.map(value).join(", ")}]`;
  return Number.isInteger(fact) ? String(fact).replaceAll(/\B(?=(?:\d{3})+$)/g, "_") : JSON.stringify(fact);
}
