// Requests the health of a deployment. A new address is reachable some seconds after the deploy, so the request is repeated for a while.

/**
 * The response of the deployment. `failed`: the Worker answers with an error. `unknown`: the Worker was not reached, or another page is
 * served at the path.
 */
export interface Health {
  status: "ok" | "failed" | "unknown";
  detail: string;
}

/** One response, and whether it is final. A later response may differ, because a new address is not reachable at once. */
type Attempt = Health & { isFinal: boolean };

const log = "The log is shown by npx wrangler tail.";

/** Pauses before the requests, in milliseconds. */
const pauses = [0, 1000, 2000, 4000, 8000];

/** Requests `/healthz` until a response is final, at most five times. Tests replace `wait`. */
export async function checkHealth(url: string, send: typeof fetch, wait = waitFor): Promise<Health> {
  const address = new URL("/healthz", url).href;
  let last: Attempt = { status: "unknown", detail: "", isFinal: false };
  for (const pause of pauses) {
    if (last.isFinal) break;
    await wait(pause);
    last = await requestHealth(address, send);
  }
  return { status: last.status, detail: last.detail };
}

async function requestHealth(address: string, send: typeof fetch): Promise<Attempt> {
  let response: Response;
  let text: string;
  try {
    response = await send(address, { signal: AbortSignal.timeout(10_000), redirect: "manual" });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const detail = `${address} was not reached (${cause}). A new address may need a minute.`;
    return { status: "unknown", detail, isFinal: false };
  }
  const answered = `${address} answers ${String(response.status)}`;
  const { version, error } = fieldsOf(text);
  if (response.ok && version !== undefined)
    return { status: "ok", detail: `${answered}, version ${version}`, isFinal: true };
  if (error !== undefined) {
    return { status: "failed", detail: `${answered}: ${error} ${log}`, isFinal: true };
  }
  if (response.status >= 500) {
    const next = `Request it again in a minute if the address is new. ${log} npx wrangler rollback restores the version before.`;
    return { status: "failed", detail: `${answered}, and not with a response of the API. ${next}`, isFinal: false };
  }
  const detail = `${answered}. A new address may need a minute, and an API under a prefix answers at <prefix>/healthz.`;
  return { status: "unknown", detail, isFinal: false };
}

/** The version of a response of `/healthz`, and the message of an error of the API. */
function fieldsOf(text: string): { version?: string; error?: string } {
  try {
    const { version, error } = JSON.parse(text) as { version?: unknown; error?: { message?: unknown } };
    return {
      ...(typeof version === "string" ? { version } : {}),
      ...(typeof error?.message === "string" ? { error: error.message } : {}),
    };
  } catch {
    // A page, or the response of another program.
    return {};
  }
}

function waitFor(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
