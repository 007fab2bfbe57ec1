// The requests of the platform's binding `AI`. Outside of Cloudflare the binding sends each request to a local address, with the address that
// it is for in `mf-url` and its headers in `mf-header-*`. Invariant: the class of the binding is the runtime's own, so a test reads what
// a deployed Worker sends.

/**
 * @typedef {{ name: unknown, model: string, options: Record<string, unknown> }} Binding
 * @typedef {{ url: URL, headers: import("node:http").IncomingHttpHeaders, body: any, binding: Binding | null }} Sent
 */

/**
 * The request as it was sent, without the envelope of the local binding. The body of a request to a model is its inputs with the model.
 * @param {import("node:http").IncomingMessage} request
 * @param {unknown} body
 * @returns {Sent}
 */
export function asSent({ url = "/", headers }, body) {
  const address = headers["mf-url"];
  if (typeof address !== "string") return { url: new URL(url, "http://model-server"), headers, body, binding: null };
  const own = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith("mf-header-") ? [[name.slice("mf-header-".length), value]] : [],
    ),
  );
  const { inputs = {}, options = {} } = /** @type {any} */ (body ?? {});
  const binding = { name: headers["mf-binding"], model: String(own["cf-consn-model-id"]), options };
  return { url: new URL(address), headers: own, body: { ...inputs, model: caseOf(binding.model) }, binding };
}

/**
 * The case that a model's id names: `case:text` of `@cf/case:text`.
 * @param {string} model
 */
export function caseOf(model) {
  const at = model.indexOf("case:");
  return at === -1 ? model : model.slice(at);
}

/**
 * The address of a gateway, which the binding asks for; null for any other request.
 * @param {URL} url
 */
export function gatewayUrl({ pathname }) {
  const { gateway, provider } =
    /^\/ai-gateway\/gateways\/(?<gateway>[^/]+)\/url\/(?<provider>[^/]+)$/.exec(pathname)?.groups ?? {};
  if (gateway === undefined) return null;
  return `https://gateway.ai.cloudflare.com/v1/account-of-binding/${gateway}/${provider}`;
}
