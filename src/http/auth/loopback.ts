// What counts as this machine. A name that merely resolves to it does not: that is how a foreign page would get in.

/** Whether `host`, with or without a port, is localhost, 127.0.0.0/8 or [::1]. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, "");
  if (name === "localhost" || name === "[::1]") return true;
  const numbers = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(name)?.slice(1) ?? [];
  return numbers.length === 3 && numbers.every((number) => Number(number) <= 255);
}

/**
 * Whether a request came by a loopback name, by its URL and by its Host header where it has one. The local server's own
 * headers, which rewrite both, have no business in a request that reaches the Worker.
 */
export function cameByLoopback(request: Request): boolean {
  const header = request.headers.get("host");
  if ([...request.headers.keys()].some((name) => name.startsWith("mf-"))) return false;
  return isLoopbackHost(new URL(request.url).host) && (header === null || isLoopbackHost(header));
}

/**
 * Whether a browser vouches for the page that asks, in headers no page can set. `Sec-Fetch-Site` is sent to trustworthy
 * addresses only, such as localhost, and never to a rebound name; an `Origin` has been held against the list before.
 */
export function pageIsProven({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  return headers.has("origin") || site === "same-origin" || site === "none";
}
