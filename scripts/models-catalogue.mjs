// Writes the facts of models in src/models/provider/facts/ again, from a copy of models.dev on this machine. It sends no request.

import { parseArgs } from "node:util";

import { readSource } from "./lib/catalogue/read-source.mjs";
import { writeTables } from "./lib/catalogue/write-tables.mjs";
import { fromRoot } from "./lib/paths.mjs";

const usage = `Usage: node scripts/models-catalogue.mjs SOURCE [options]

Writes limits, prices and capabilities of models into src/models/provider/facts/. Groups with other sources stay as they are, and their facts
take precedence.

  SOURCE              a checkout of https://github.com/anomalyco/models.dev, or a copy of https://models.dev/api.json
  --date YYYY-MM-DD   the date of the copy; for a checkout that of its commit, if it is left out
  --commit HASH       the commit of a folder that is no Git checkout
  --into FOLDER       another folder for the tables

Then run npm run fix, and review the diff.`;

try {
  const string = /** @type {const} */ ({ type: "string" });
  const options = { date: string, commit: string, into: string, help: /** @type {const} */ ({ type: "boolean" }) };
  /** @type {any} */
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [source, ...more] = positionals;
  if (values.help === true) {
    console.log(usage);
  } else if (source === undefined || more.length > 0) {
    throw new Error(`Name one folder or file.\n\n${usage}`);
  } else {
    const read = readSource(source, { date: values.date, commit: values.commit });
    const into = values.into ?? fromRoot("src/models/provider/facts");
    for (const line of await writeTables(read, into)) console.log(line);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
