// Addresses of requests, made of a route's path and values. A value that is a dot segment would lead the address to another
// route once it is resolved, so such values are refused here, before anything is sent.

/** A value of a query; those that are undefined are left out, and a list has commas between its parts. */
export type QueryValue = string | number | boolean | readonly string[] | null | undefined;

/** The path of a route with its segments filled in, under the prefix that no definition of a project can take. */
export function pathOf(pattern: string, params: Readonly<Record<string, string>>): string {
  return pattern.replace(/^\/api\//, "/api/~/").replace(/:(\w+)|\*(\w+)\?/g, (_, one?: string, rest?: string) => {
    if (one !== undefined) return segment(one, params[one] ?? "");
    // The rest of a path may be empty, begin with a slash, and end with one.
    const path = (params[rest ?? ""] ?? "").replace(/^\/+/, "");
    return path === ""
      ? ""
      : path
          .split("/")
          .map((part) => (part === "" ? "" : segment("path", part)))
          .join("/");
  });
}

function segment(name: string, value: string): string {
  if (value === "" || value === "." || value === "..") {
    throw new TypeError(`"${value}" cannot be the ${name} of an address.`);
  }
  return encodeURIComponent(value);
}

/** `?…`, or nothing. */
export function queryOf(values: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
