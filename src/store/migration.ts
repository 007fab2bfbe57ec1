// A migration of the thread's storage or of the catalog (the deployment's index of all threads): the name of an SQL file and its content.

/** One step of a schema. Names begin with an increasing number. A released step is never edited. */
export interface Migration {
  /** The file's name, which wrangler records. */
  name: string;
  sql: string;
}
