// Writes the id of the catalog's database to the wrangler configuration, and changes nothing else in the file.

import { editConfigFile, readConfigFile } from "../config/config-file.ts";
import { writeFiles } from "../config/write-files.ts";
import { CommandError } from "../context.ts";

/** The id, and the configuration file and the environment to write it to. */
interface DatabaseIdChange {
  file: string;
  environment: string | undefined;
  id: string;
}

/** Sets `database_id` of the binding CATALOG. If the file cannot be edited safely, the error has the lines to write by hand. */
export function writeDatabaseId({ file, environment, id }: DatabaseIdChange): void {
  const config = readConfigFile(file);
  const section = environment === undefined ? [] : ["env", environment];
  const databases = [...section, "d1_databases"].reduce(member, config.value);
  const at = Array.isArray(databases) ? databases.findIndex((each) => member(each, "binding") === "CATALOG") : -1;
  if (at === -1) throw new CommandError(`${file} has no binding CATALOG any more; run the command again.`);
  const path = [...section, "d1_databases", at, "database_id"];
  const edited = editConfigFile(config, [{ action: "set", path, value: id }]);
  writeFiles([{ path: file, before: config.text, after: edited.text }]);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
