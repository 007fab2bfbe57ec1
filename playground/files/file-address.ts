// The addresses of a thread's files. A name may contain any character, so each name is encoded by itself and decoded
// from the raw address. The router decodes whole addresses, after which a percent sign in a name would be decoded
// twice.

/** Matches the pages of a thread's files; `[^]` also matches line breaks in names. */
export const filesRoute = /^\/threads\/(?<id>[^/]+)\/files(?:\/[^]*)?$/;

/** The file or folder that an address shows. */
export interface FilePlace {
  path: string;
  /** The address ends with a slash, so it means a folder. */
  folder: boolean;
}

/** The state of the page in the address's query. */
export interface FileQuery {
  /** The text to search for; empty without a search. */
  find: string;
  by: "text" | "names";
  /** The folder to search in. */
  below: string;
  /** The highlighted line, from 1. */
  line: number | null;
  editing: boolean;
}

/** A query without a search, a highlighted line and an editor. */
export const plainQuery: FileQuery = { find: "", by: "text", below: "/", line: null, editing: false };

/** The address of a file, or of a folder. */
export function filesAddress(threadId: string, place: FilePlace, query: Partial<FileQuery> = {}): string {
  const names = place.path.split("/").filter((name) => name !== "");
  const end = place.folder && names.length > 0 ? "/" : "";
  const path = names.map((name) => `/${encodeURIComponent(name)}`).join("");
  return `/threads/${encodeURIComponent(threadId)}/files${path}${end}${textOf({ ...plainQuery, ...query })}`;
}

/** The file or folder of an address's path; null if the path is not one of a thread's files. */
export function placeOf(pathname: string): FilePlace | null {
  const rest = /^\/threads\/[^/]+\/files([^]*)$/.exec(pathname)?.[1];
  if (rest === undefined || (rest !== "" && !rest.startsWith("/"))) return null;
  try {
    const names = rest
      .split("/")
      .filter((name) => name !== "")
      .map(decodeURIComponent);
    return { path: `/${names.join("/")}`, folder: names.length === 0 || rest.endsWith("/") };
  } catch {
    return null;
  }
}

/** Reads the query of an address; invalid values are ignored. */
export function queryFrom(search: string): FileQuery {
  const given = new URLSearchParams(search);
  const line = Number(given.get("line"));
  return {
    find: given.get("find") ?? "",
    by: given.get("by") === "names" ? "names" : "text",
    below: given.get("below") ?? "/",
    line: Number.isSafeInteger(line) && line > 0 ? line : null,
    editing: given.has("edit"),
  };
}

function textOf({ find, by, below, line, editing }: FileQuery): string {
  const query = new URLSearchParams();
  if (find !== "") {
    query.set("find", find);
    if (by === "names") query.set("by", by);
    if (below !== "/") query.set("below", below);
  }
  if (line !== null) query.set("line", String(line));
  if (editing) query.set("edit", "");
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
