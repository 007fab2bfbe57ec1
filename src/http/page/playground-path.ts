// Where the playground is: the path of its pages in the Worker, which `createThreadhold` or a variable chooses.

import { pathBelow, readMountPath } from "#lib/mount-path.ts";

/** A choice of the path: a path of the Worker, true for the default path, false for no playground. */
export type PlaygroundChoice = string | boolean;

/** The default path: the playground is then below the prefix of the threads, where an existing Worker already passes requests on. */
const defaultName = "/studio";

/** Paths of an application without a prefix that are never pages. */
const served = ["/api", "/healthz", "/mcp"];

/** The path of a choice, empty for the root; null for no playground. Throws a `TypeError` for a text that is no path for pages. */
export function readPlaygroundPath(choice: PlaygroundChoice, prefix: string): string | null {
  if (choice === false) return null;
  if (choice === true) return `${prefix}${defaultName}`;
  const path = readMountPath(choice);
  if (path === null || choice === "") {
    throw new TypeError(
      `The path "${choice}" of the playground is not a path. A path is like "${prefix}${defaultName}".`,
    );
  }
  const taken = served.map((each) => `${prefix}${each}`).find((each) => pathBelow(path, each) !== null);
  if (taken === undefined) return path;
  throw new TypeError(
    `The playground cannot be at "${choice}", because ${taken} belongs to the API. Choose a path such as "${prefix}${defaultName}".`,
  );
}

/** The choice in the text of a variable: `true`, `false` or a path. Undefined if the variable is not set. */
export function playgroundVariable(text: string | undefined): PlaygroundChoice | undefined {
  if (text === undefined || text === "") return undefined;
  return text === "true" || text === "false" ? text === "true" : text;
}
