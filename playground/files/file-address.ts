// Addresses of a thread's files. A name may hold anything, so each is encoded by itself and read from the address as it stands: the
// router decodes addresses as a whole, after which a percent sign in a name would be read twice.

/** Matches the pages of a thread's files; names may hold what a dot does not match. */
export const filesRoute = /^\/threads\/(?<id>[^/]+)\/files(?:\/[^]*)?$/;

/** What an address shows. */
export interface FilePlace {
  path: string;
  /** The address says that it is a folder. */
  folder: boolean;
}

/** What the page remembers in its query. */
export interface FileQuery {
  /** What is searched for; nothing where there is no search. */
  find: string;
  by: "text" | "names";
  /** The folder that is searched. */
  below: string;
  /** The line that is pointed at, from 1. */
  line: number | null;
  editing: boolean;
}

/** Nothing is searched, pointed at or edited. */
export const plainQuery: FileQuery = { find: "", by: "text", below: "/", line: null, editing: false };

/** The address of a file, or of a folder. */
export function filesAddress(threadId: string, place: FilePlace, query: Partial<FileQuery> = {}): string {
  const names = place.path.split("/").filter((name) => name !== "");
  const end = place.folder && names.length > 0 ? "/" : "";
  const path = names.map((name) => `/${encodeURIComponent(name)}`).join("");
  return `/threads/${encodeURIComponent(threadId)}/files${path}${end}${textOf({ ...plainQuery, ...query })}`;
}

/** What the path of an address shows; null where it is no path of a file. */
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

/** What the query of an address says; what is nonsense in it is passed over. */
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
