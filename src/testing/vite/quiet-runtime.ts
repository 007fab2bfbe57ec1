// Keeps one message of the runtime out of the test report. The pool runs the runtime with verbose messages, and the runtime then reports
// each socket that is closed, also if both sides have closed it as intended. A turn closes several sockets.

const closedSocket =
  /^exception = workerd\/api\/web-socket\.c\+\+:\d+: disconnected: WebSocket peer disconnected;?\s*$/;

let isQuiet = false;

/** Drops the message about closed sockets from the output of this process. Every other message is printed. */
export function quietRuntime(): void {
  if (isQuiet) return;
  isQuiet = true;
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) => {
      if (!closedSocket.test(String(args[0]))) return write(...args);
      // The caller may wait until the text is written.
      const done = args.at(-1);
      if (typeof done === "function") process.nextTick(done as () => void);
      return true;
    };
  }
}
