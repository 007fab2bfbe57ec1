// What a migration is to us, in the thread's storage and in the catalog alike: a file's name and its SQL.

/** One step of a schema. Names begin with a number and rise; a step that was released is never edited. */
export interface Migration {
  /** File name, as wrangler records it. */
  name: string;
  sql: string;
}
