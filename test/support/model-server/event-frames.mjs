// Encodes frames of `application/vnd.amazon.eventstream`, and verifies signatures of AWS, for the model server. It shares no code with the
// implementation that it tests: checksums are those of zlib, and signatures those of node:crypto.

import { createHash, createHmac } from "node:crypto";
import { crc32 } from "node:zlib";

/** @param {number} value */
function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/**
 * A frame with these headers and this payload.
 * @param {Record<string, string>} headers
 * @param {string} payload
 */
export function frame(headers, payload) {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.concat([uint32(16 + head.length + body.length), uint32(head.length)]);
  const bytes = Buffer.concat([prelude, uint32(crc32(prelude)), head, body]);
  return Buffer.concat([bytes, uint32(crc32(bytes))]);
}

/**
 * The frames of the events in a text of `data:` lines, each with one event by its type. Types that end with "Exception" are exceptions.
 * @param {string} text
 */
export function framesOfEvents(text) {
  const events = text.split("\n").flatMap((line) => (line.startsWith("data:") ? [JSON.parse(line.slice(5))] : []));
  return Buffer.concat(
    events.flatMap((event) =>
      Object.entries(event).map(([type, payload]) => {
        const kind = type.endsWith("Exception") ? "exception" : "event";
        const headers = {
          [`:${kind}-type`]: type,
          ":content-type": "application/json",
          ":message-type": kind,
        };
        return frame(headers, JSON.stringify(payload));
      }),
    ),
  );
}

/** The credentials with which tests sign requests. */
export const credentials = {
  AWS_ACCESS_KEY_ID: "AKIDTESTBEDROCK0006",
  AWS_SECRET_ACCESS_KEY: "bedrock/secret+key-0007",
  AWS_SESSION_TOKEN: "bedrock/session+token-0008",
};

/** @param {string} text */
const hash = (text) => createHash("sha256").update(text).digest("hex");

/**
 * Why a signature of a request is wrong; null for a right one, and for a request with a bearer token. The path is encoded once more than it was
 * sent.
 * @param {{ method: string, path: string, headers: Record<string, unknown>, body: string }} request
 * @returns {string | null}
 */
export function signatureProblem({ method, path, headers, body }) {
  const { authorization } = headers;
  const given = typeof authorization === "string" ? authorization : "";
  if (/^Bearer \S+$/.test(given)) return null;
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^/]+\/bedrock\/aws4_request), SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      given,
    );
  if (parts === null) return "Missing Authentication Token";
  const [, id = "", scope = "", names = "", signature = ""] = parts;
  if (id !== credentials.AWS_ACCESS_KEY_ID) return "The security token included in the request is invalid.";
  if (headers["x-amz-security-token"] !== credentials.AWS_SESSION_TOKEN)
    return "The security token included in the request is invalid.";
  for (const needed of ["host", "x-amz-date", "x-amz-security-token", "content-type"])
    if (!names.split(";").includes(needed)) return `The header ${needed} is not signed.`;
  const encode = (/** @type {string} */ text) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const canonical = [
    method,
    path.split("/").map(encode).join("/"),
    "",
    ...names.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    names,
    hash(body),
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(canonical)].join("\n");
  const key = scope
    .split("/")
    .reduce(
      (/** @type {string | Uint8Array} */ secret, part) => createHmac("sha256", secret).update(part).digest(),
      `AWS4${credentials.AWS_SECRET_ACCESS_KEY}`,
    );
  const expected = createHmac("sha256", key).update(text).digest("hex");
  if (signature === expected) return null;
  return "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.";
}
