// Builds the addresses of requests from a route's path pattern and its values. A value "." or ".." would change the path when a
// URL parser resolves it, so such values are refused before a request is sent.

/** A value of a query. Undefined and null values are omitted. A list is joined with commas. */
export type QueryValue = string | number | boolean | readonly string[] | null | undefined;

/** Fills parameters into a route's path. `/api/` becomes `/api/~/`, a prefix that no route of a project can have. */
export function pathOf(pattern: string, params: Readonly<Record<string, string>>): string {
  return pattern.replace(/^\/api\//, "/api/~/").replace(/:(\w+)|\*(\w+)\?/g, (_, one?: string, wildcard?: string) => {
    if (one !== undefined) return segment(one, params[one] ?? "");
    // The value of a `*path?` segment may be empty, begin with a slash or end with a slash.
    const path = (params[wildcard ?? ""] ?? "").replace(/^\/+/, "");
    return path
      .split("/")
      .map((part) => (part === "" ? "" : segment("path", part)))
      .join("/");
  });
}

function segment(name: string, value: string): string {
  if (value === "" || value === "." || value === "..") {
    throw new TypeError(`"${value}" cannot be the ${name} in an address.`);
  }
  return encodeURIComponent(value);
}

/** The query with its leading `?`; an empty string if no value is defined. */
export function queryOf(values: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
