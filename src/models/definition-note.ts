// The file of a model's definition in the text of a failure.

import type { AnyModelDefinition } from "#spec/index.ts";

/** Returns the file of the definition with a name; undefined if it is not known. */
export type FileOf = (name: string) => string | undefined;

/** The end of a failure's text; empty if the file is not known. */
export function definitionNote({ name, model }: AnyModelDefinition, fileOf?: FileOf): string {
  const file = fileOf?.(name);
  return file === undefined ? "" : ` (model "${model}" of ${file})`;
}
