// The errors of outbound requests. An error names the host and the reason and no other part of the URL: paths, query strings and user
// names may be secret, and the platform's own message may repeat them.

import { refuse } from "#contract/error.ts";
import type { ErrorCode, ThreadholdError } from "#contract/error.ts";

import type { OutboundReason } from "../ports/outbound-fetch.ts";

const allowlistHint = "Where that is meant, add the host to ALLOWED_OUTBOUND_HOSTS or to what the definition allows.";

/** The texts of the errors. Each one continues a sentence that begins with the host. */
const texts: Record<OutboundReason, readonly [code: ErrorCode, text: string]> = {
  malformed: ["invalid_request", "cannot be requested: write an absolute URL such as https://host/path."],
  scheme: ["invalid_request", "is asked for by another scheme than https, which only listed hosts may be, over http."],
  credentials: ["invalid_request", "comes with a user name or password in its URL: send them in a header."],
  port: [
    "invalid_request",
    "has a port that is not asked: use 80, 443, one from 1024 on, or list the host with its port.",
  ],
  inside: ["invalid_request", `lies inside a private or local network and is not asked. ${allowlistHint}`],
  unknown_host: ["invalid_request", "does not exist: check the spelling of the name."],
  lookup_failed: [
    "unavailable",
    "could not be looked up, so it was not asked: try again, or check DNS_OVER_HTTPS_URL.",
  ],
  bad_request: ["invalid_request", "was not asked"],
  redirects: ["unavailable", "redirects more often than allowed: use the address it ends at."],
  downgrade: ["invalid_request", "redirects from https to http, which is not followed."],
  body_gone: ["invalid_request", "redirects a request whose body was a stream: send the body as text or bytes."],
  body_elsewhere: [
    "invalid_request",
    "redirects a request with a body to another origin, which is not followed: send it to the address it ends at.",
  ],
  connection: ["unavailable", "could not be reached, or broke the connection off."],
  slow_headers: ["unavailable", "did not answer in time."],
  silent_body: ["unavailable", "stopped sending in the middle of its answer."],
  too_slow: ["unavailable", "took too long for its whole answer."],
  too_large: ["too_large", "answers with more bytes than allowed."],
  bad_answer: ["unavailable", "gives an answer that HTTP does not know."],
};

/** The maximum number of characters of a host in an error: the longest valid host name with a port fits. */
const maxHostLength = 260;

/** The error for a reason. `host` is host and port, null if the URL has none; `note` is an explanation without secrets. */
export function outboundError(reason: OutboundReason, host: string | null, note?: string): ThreadholdError {
  const [code, text] = texts[reason];
  const shown = host === null ? null : host.slice(0, maxHostLength);
  const message = `${shown ?? "The address"} ${text}${note === undefined ? "" : `: ${note}`}`;
  return refuse(code, message, { reason, ...(shown === null ? {} : { host: shown }) });
}
