// Receives what a test sends out of the runtime, and passes only requests to allowed hosts on. The Worker's own `fetch` refuses before, with
// the error for the test. This function is for all other ways out: sockets, WebSockets, and code that uses another `fetch`.

/** A request of the runtime. */
interface RuntimeRequest {
  url: string;
  method: string;
  headers: { get(name: string): string | null; [Symbol.iterator](): Iterator<[string, string]> };
  body: ReadableStream<Uint8Array> | null;
}

type OutboundService = (request: RuntimeRequest) => Promise<Response>;

/** Reads the option `network`. Throws for an entry that is no host. */
export function hostsOf(network: boolean | readonly string[]): true | readonly string[] {
  if (typeof network === "boolean") return network || [];
  for (const host of network)
    if (!entry.test(host))
      throw new TypeError(
        `The option network has "${host}". Write a host as localhost:8080, api.example.com or *.example.com.`,
      );
  return network;
}

const entry = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]*%,]+)(?::(\d{1,5}))?$/i;

/** The service for all requests of the runtime. Prints each request that it blocks. */
export function blockedNetwork(hosts: readonly string[]): OutboundService {
  return (request) => {
    const url = new URL(request.url);
    const upgrade = request.headers.get("upgrade");
    if (upgrade === null && hosts.some((host) => matches(host, url))) return passOn(request);
    const text = upgrade === null ? httpText(request.method, url) : socketText(url, hosts);
    process.stderr.write(`${text}\n`);
    return Promise.resolve(new Response(text, { status: 502 }));
  };
}

const sources =
  "If it belongs to an MCP server or an API, give that source its tools by startThread(…, { sources: { … } }).";

const httpText = (method: string, { origin, host }: URL): string =>
  `A test tried to reach ${origin} (${method}), and tests send no requests. ${sources} Otherwise replace the request in the test, or ` +
  `let its host pass by threadhold({ network: ["${host}"] }) in the configuration of vitest.`;

/** A list of hosts permits requests and no sockets. */
const socketText = ({ origin }: URL, hosts: readonly string[]): string =>
  `A test tried to open a WebSocket to ${origin}, and tests open none${hosts.length === 0 ? "" : ", also to hosts in the option network"}. ` +
  `${sources} Otherwise replace the socket in the test, or permit every way out by threadhold({ network: true }) in the configuration of ` +
  "vitest.";

function matches(pattern: string, { hostname, port, protocol }: URL): boolean {
  const [, wildcard, host = "", wanted] = entry.exec(pattern) ?? [];
  const name = host.toLowerCase();
  const fits = wildcard === undefined ? hostname === name : hostname.endsWith(`.${name}`);
  const standard = protocol === "https:" ? "443" : "80";
  return fits && (wanted === undefined || wanted === (port === "" ? standard : port));
}

/** Headers of one connection. */
const ofConnection = ["host", "connection", "content-length", "expect", "keep-alive", "transfer-encoding"];

function passOn({ url, method, headers, body }: RuntimeRequest): Promise<Response> {
  const passed = new Headers([...headers]);
  for (const name of ofConnection) passed.delete(name);
  return fetch(url, {
    method,
    headers: passed,
    redirect: "manual",
    ...(body === null ? {} : { body, duplex: "half" as const }),
  });
}
