// Paths of a Worker under which an application is mounted, such as `/agents`: which texts are such paths, and which requests are below one.

/**
 * The path without a slash at its end; empty for the root. Null for a text that is no path, and for a path with empty or dot segments: no
 * request has such a path, because an address is normalized before it is sent.
 */
export function readMountPath(text: string): string | null {
  const path = text.replace(/\/$/, "");
  return path === "" || /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/.test(path) ? path : null;
}

/** The part of a request's path below a mount path, with a slash at its beginning; null if the path is not below. */
export function pathBelow(pathname: string, mount: string): string | null {
  if (pathname === mount) return "/";
  return pathname.startsWith(`${mount}/`) ? pathname.slice(mount.length) : null;
}
