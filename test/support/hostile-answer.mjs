// Answers that only a hostile or a broken server gives, on the wire. The beginning of a name selects the answer:
//
// `endless` a body without an end; `values` a body of 8 MB of small JSON values; `bomb` 16 MiB of zeros as 16 KiB of gzip; `drip` a body of one
// byte every few milliseconds; `informed` a thousand informational answers before the real one; `chain` a redirect to an address of a
// private network; `later`, `earlier`, `never` status 503 with a Retry-After of a year, of a negative number, and of no number; `reset` a
// reset connection without an answer; `torn` a connection that is reset in the middle of the body; `less` and `more` a body with fewer and
// with more bytes than stated; `headers` headers of a megabyte; `other` bytes that are no HTTP; `switch` another protocol.

import { gzipSync } from "node:zlib";

const crlf = "\r\n";
/** @param {string} status @param {readonly string[]} headers */
const head = (status, ...headers) => [`HTTP/1.1 ${status}`, ...headers, "", ""].join(crlf);
const json = "content-type: application/json";

/** Compressed once, because an answer that waits for it would be a slow one. */
const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));

/** The answers that accept the request by their status, whatever follows. */
export const accepting = ["endless", "values", "bomb", "drip", "informed", "torn", "less", "more"];

/** The answers that do not accept it. */
export const refusing = ["chain", "later", "earlier", "never", "reset", "headers", "other", "switch"];

/**
 * Gives the hostile answer that a name selects. Returns false if it selects none.
 * @param {string} name @param {import("node:net").Socket} socket
 */
export function answerHostile(name, socket) {
  const way = [...accepting, ...refusing].find((one) => name.startsWith(one));
  if (way === undefined) return false;
  socket.on("error", () => undefined);
  const end = (/** @type {(string | Uint8Array)[]} */ ...parts) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };
  const closing = "connection: close";
  const write = {
    endless() {
      socket.write(head("200 OK", json, closing));
      const piece = Buffer.alloc(64 * 1024, " ");
      const more = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on("drain", more);
      more();
    },
    values: () => end(head("200 OK", json, closing), `[${"1,".repeat(4_000_000)}1]`),
    bomb: () => end(head("200 OK", json, "content-encoding: gzip", closing), bomb),
    drip() {
      socket.write(head("200 OK", json, closing));
      const timer = setInterval(() => socket.write(" "), 5);
      socket.on("close", () => clearInterval(timer));
    },
    informed: () => end(head("102 Processing").repeat(1000), head("200 OK", json, "content-length: 2", closing), "{}"),
    chain: () =>
      end(head("307 Temporary Redirect", "location: http://169.254.169.254/latest/", "content-length: 0", closing)),
    later: () => end(head("503 Busy", "retry-after: 31536000", "content-length: 0", closing)),
    earlier: () => end(head("503 Busy", "retry-after: -1", "content-length: 0", closing)),
    never: () => end(head("503 Busy", "retry-after: NaN", "content-length: 0", closing)),
    reset: () => socket.resetAndDestroy(),
    torn: () =>
      void socket.write(`${head("200 OK", json, "content-length: 1000")}{"a":`, () => socket.resetAndDestroy()),
    less: () => end(head("200 OK", json, "content-length: 1000", closing), "{}"),
    more: () => end(head("200 OK", json, "content-length: 2", closing), "{}", "x".repeat(1024 * 1024)),
    headers: () => end(head("200 OK", `x-large: ${"x".repeat(1024 * 1024)}`, "content-length: 0", closing)),
    other: () => end("\0\0\0not HTTP at all\n".repeat(100)),
    switch: () => end(head("101 Switching Protocols", "upgrade: other", "connection: upgrade"), "hello"),
  };
  write[/** @type {keyof typeof write} */ (way)]();
  return true;
}
