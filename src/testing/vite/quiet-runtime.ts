// Keeps messages that concern no test out of the report, and says in words what a blocked socket is. The pool runs the runtime with verbose messages, and the runtime then reports each
// socket that is closed, also if both sides have closed it as intended. A turn closes several sockets.

const messages = [
  /^exception = workerd\/api\/web-socket\.c\+\+:\d+: disconnected: WebSocket peer disconnected;?\s*$/,
  // An EventSource whose connection the plugin blocked. The plugin has printed the address.
  /^uncaught exception; source = Uncaught \(async\); stack = AbortError: The response status code was 502\.\s*$/,
  // A package whose source maps name files that it does not contain. Vite reports it for each module.
  /^[^"\n]*Sourcemap for "[^"\n]*node_modules[^"\n]*" points to (?:missing source files|a source file outside its package)/,
];

/** Whether a text that is written to the output is one of these messages. */
export const isNoise = (text: string): boolean => messages.some((message) => message.test(text));

/** The error of the runtime for a socket that the plugin blocks. It names neither the socket nor what to do. */
const blockedSocket = "Incoming CONNECT on a worker not supported";

/** A text of the output with the cause of this error and its fix. */
export const explained = (text: string): string =>
  text.replaceAll(
    blockedSocket,
    `${blockedSocket}. The code under test opened a socket (cloudflare:sockets, node:net or node:tls), and tests open none. Replace the ` +
      "function that connects, for example by vi.mock, or permit every way out by threadhold({ network: true }) in the configuration of vitest",
  );

let isQuiet = false;

/** Drops these messages from the output of this process, and explains a blocked socket. Every other message is printed as it is. */
export function quietRuntime(): void {
  if (isQuiet) return;
  isQuiet = true;
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) => {
      const text = String(args[0]);
      if (text.includes(blockedSocket)) return write(explained(text), ...args.slice(1));
      if (!isNoise(text)) return write(...args);
      // The caller may wait until the text is written.
      const done = args.at(-1);
      if (typeof done === "function") process.nextTick(done as () => void);
      return true;
    };
  }
}
