// Signs a request with AWS Signature Version 4, by the Web Crypto API. It holds no state and sends nothing.
// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.

/** The credentials that sign requests. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** The token of temporary credentials. Absent: the credentials are permanent. */
  sessionToken?: string | undefined;
}

/** A request to sign. */
export interface UnsignedRequest {
  method: string;
  /** The address as it is sent. */
  host: string;
  /** The path as it is sent. */
  path: string;
  /** The names and values of the query, not encoded. Absent: none. */
  query?: readonly (readonly [string, string])[];
  /** Further headers that are signed, with names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What a signature holds for. */
export interface SigningScope {
  region: string;
  service: string;
  /** Milliseconds since 1970. */
  now: number;
}

const encoder = new TextEncoder();

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function hashOf(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}

async function hmac(key: Uint8Array, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", new Uint8Array(key), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text)));
}

/** Encodes all characters but letters, digits and `-_.~`. */
export function uriEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The path is encoded once more than it is sent, as for every service but S3. */
function canonicalPath(path: string): string {
  return path.split("/").map(uriEncoded).join("/");
}

/** The headers of a signed request: those of `request`, and those of its signature. */
export async function signedHeaders(
  request: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, now }: SigningScope,
): Promise<Record<string, string>> {
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-date": time,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken }),
  };
  const signed = Object.entries({ ...headers, host: request.host }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const query = (request.query ?? []).map(([name, value]) => `${uriEncoded(name)}=${uriEncoded(value)}`).toSorted();
  const canonical = [
    request.method,
    canonicalPath(request.path),
    query.join("&"),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}`),
    "",
    names,
    await hashOf(request.body),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, await hashOf(canonical)].join("\n");
  let key: Uint8Array = encoder.encode(`AWS4${secretAccessKey}`);
  for (const part of scope.split("/")) key = await hmac(key, part);
  const signature = hex(await hmac(key, text));
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
