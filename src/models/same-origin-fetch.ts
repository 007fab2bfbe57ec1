// Creates a fetch that sends the API key and the conversation of a request to the provider's origin alone. Redirects to another origin are
// refused. The platform's own handling of redirects would drop only `Authorization`; it would send `x-api-key`, `x-goog-api-key` and the
// body to the other origin.

/** The maximum number of redirects that one request follows. */
const mostRedirects = 5;

type FetchInput = Parameters<typeof globalThis.fetch>[0];

function addressOf(input: FetchInput | URL): string {
  return typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
}

/** Creates a fetch that follows redirects of status 307 and 308 within the origin of the request, and throws for every other redirect. */
export function sameOriginFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const guarded = async (input: FetchInput | URL, init?: RequestInit): Promise<Response> => {
    const manual: RequestInit = { ...init, redirect: "manual" };
    let address = addressOf(input);
    let response = await fetch(input as FetchInput, manual);
    for (let followed = 0; ; followed++) {
      const isRedirect = response.status >= 300 && response.status < 400;
      const location = isRedirect ? response.headers.get("location") : null;
      if (location === null) return response;
      if (followed === mostRedirects) {
        throw new Error(`The provider's address redirects more than ${mostRedirects} times.`);
      }
      const next = URL.canParse(location, address) ? new URL(location, address) : null;
      await response.body?.cancel();
      if (next === null || next.origin !== new URL(address).origin) {
        const place = next === null ? "an invalid address" : next.origin;
        throw new Error(
          `The provider's address redirects to ${place}, another origin, where neither the key nor the conversation is ` +
            "sent. Set the model's address to the one that answers.",
        );
      }
      // Redirects of other statuses turn the request into a GET without a body.
      if (response.status !== 307 && response.status !== 308) {
        throw new Error(
          `The provider's address answers with a redirect of status ${response.status}, which drops the request.`,
        );
      }
      address = next.href;
      response = await fetch(address, manual);
    }
  };
  return guarded as typeof globalThis.fetch;
}
