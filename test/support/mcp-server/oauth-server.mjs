// An authorization server and an MCP server that requires its tokens, for each tenant of a test. A control address changes how they behave,
// and shows what was requested and issued.
//
// /oauth/:tenant/mcp             the MCP server: its tool `whoami` returns the tenant
// /oauth/:tenant/as/…            authorize, token, register, revoke
// /.well-known/…/oauth/:tenant/… the metadata of both
// /oauth/:tenant/control         POST changes settings; GET returns them with requests, tokens and counts

import { createHash, randomUUID } from "node:crypto";

/** @type {Map<string, Record<string, any>>} */
const tenants = new Map();

function tenantOf(name) {
  const known = tenants.get(name) ?? {
    settings: {},
    requests: [],
    sent: [],
    clients: new Map(),
    codes: new Map(),
    access: new Map(),
    refresh: new Map(),
    reused: 0,
    secrets: [],
    paused: [],
  };
  tenants.set(name, known);
  return known;
}

const json = (response, status, body, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** Serves a request whose path begins with `/oauth/` or `/.well-known/`. Returns false for any other path. */
export function serveOauth({ request, response, url, text }) {
  const base = `http://${request.headers.host}`;
  const known = /^\/\.well-known\/([a-z-]+)\/oauth\/([^/]+)\/(mcp|as)$/.exec(url.pathname);
  if (known !== null) return (metadata({ response, base, name: known[2], kind: known[1], of: known[3] }), true);
  const [, tenantName, path] = /^\/oauth\/([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
  if (tenantName === undefined) return false;
  const tenant = tenantOf(tenantName);
  if (path === "control") return (control({ request, response, tenant, text }), true);
  tenant.requests.push(`${request.method} ${path}`);
  tenant.sent.push({ path, authorization: authorizationOf(request), text });
  const route = routes[path];
  if (route === undefined) return (json(response, 404, { error: "not_found" }), true);
  if (["as/token", "as/revoke"].includes(path) && !isForm(request)) return (json(response, 415, {}), true);
  route({ request, response, url, text, tenant, base, root: `${base}/oauth/${tenantName}`, name: tenantName });
  return true;
}

const isForm = ({ headers }) => headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;

/** The header of a request as text that a test can search: Basic credentials are decoded. */
function authorizationOf({ headers: { authorization = "" } }) {
  const basic = /^Basic (.+)$/.exec(authorization)?.[1];
  return basic === undefined ? authorization : `Basic ${Buffer.from(basic, "base64").toString()}`;
}

function control({ request, response, tenant, text }) {
  if (request.method === "POST") {
    const { expireAccess, revokeAll, forgetClients, release, ...settings } = JSON.parse(text);
    Object.assign(tenant.settings, settings);
    if (expireAccess === true || revokeAll === true) tenant.access.clear();
    if (revokeAll === true) tenant.refresh.clear();
    if (forgetClients === true) tenant.clients.clear();
    if (release === true) for (const send of tenant.paused.splice(0)) send();
  }
  const { settings, requests, sent, reused, secrets, paused } = tenant;
  const live = { access: [...tenant.access.keys()], refresh: [...tenant.refresh.keys()] };
  json(response, 200, {
    settings,
    requests,
    sent,
    reused,
    secrets,
    live,
    clients: [...tenant.clients.values()],
    paused: paused.length,
  });
}

function metadata({ response, base, name, kind, of }) {
  const { settings, requests } = tenantOf(name);
  requests.push(`GET ${kind}`);
  const root = `${base}/oauth/${name}`;
  if (kind === "oauth-protected-resource" && of === "mcp") {
    return json(response, 200, {
      resource: `${root}/mcp`,
      authorization_servers: [`${root}/as`],
      scopes_supported: ["notes"],
      ...settings.resourceMetadata,
    });
  }
  if (kind !== "oauth-authorization-server" || of !== "as") return json(response, 404, { error: "not_found" });
  const fields = {
    issuer: `${root}/as`,
    authorization_endpoint: `${root}/as/authorize`,
    token_endpoint: `${root}/as/token`,
    registration_endpoint: `${root}/as/register`,
    revocation_endpoint: `${root}/as/revoke`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
    authorization_response_iss_parameter_supported: true,
    ...settings.serverMetadata,
    ...(settings.huge === true ? { padding: "x".repeat(1024 * 1024) } : {}),
  };
  // Null removes a field.
  return json(response, 200, Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)));
}

const routes = {
  mcp({ request, response, text, tenant, root, base, name }) {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const owner = tenant.access.get(token);
    if (owner === undefined || owner.until <= Date.now() || tenant.settings.refuseTokens === true) {
      const address = `${base}/.well-known/oauth-protected-resource/oauth/${name}/mcp`;
      const challenge = tenant.settings.challenge ?? `Bearer resource_metadata="${address}"`;
      return json(response, 401, { error: "invalid_token" }, { "www-authenticate": challenge });
    }
    if (tenant.settings.insufficient === true) {
      const challenge = 'Bearer error="insufficient_scope", scope="notes:write"';
      return json(response, 403, {}, { "www-authenticate": challenge });
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(text);
    if (id === undefined) return void response.writeHead(202).end();
    const result = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "protected", version: "1" },
      },
      "tools/list": { tools: [{ name: "whoami", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: `You are ${root.split("/").at(-1)}.` }] },
    }[method];
    json(response, 200, { jsonrpc: "2.0", id, result });
  },

  "as/register"({ response, text, tenant }) {
    if (tenant.settings.refuseRegistration === true) {
      return json(response, 400, { error: "invalid_client_metadata", error_description: "a description" });
    }
    const given = JSON.parse(text);
    const secret = tenant.settings.confidential === true ? { client_secret: secretOf(tenant, "cs") } : {};
    const method = tenant.settings.confidential === true ? "client_secret_basic" : given.token_endpoint_auth_method;
    const client = { ...given, client_id: `client-${randomUUID()}`, ...secret, token_endpoint_auth_method: method };
    tenant.clients.set(client.client_id, client);
    json(response, 201, client);
  },

  "as/authorize"({ response, url, tenant, root }) {
    const query = Object.fromEntries(url.searchParams);
    const client = tenant.clients.get(query.client_id) ?? preset(tenant, query.client_id);
    if (client === undefined) return void response.writeHead(400).end("unknown client");
    const back = new URL(query.redirect_uri);
    back.searchParams.set("state", query.state);
    if (tenant.settings.noIssuer !== true) back.searchParams.set("iss", tenant.settings.foreignIssuer ?? `${root}/as`);
    const isValid = query.code_challenge_method === "S256" && query.resource === `${root}/mcp`;
    if (tenant.settings.deny === true || !isValid) {
      back.searchParams.set("error", isValid ? (tenant.settings.error ?? "access_denied") : "invalid_request");
    } else {
      const code = secretOf(tenant, "code");
      tenant.codes.set(code, { ...query });
      back.searchParams.set("code", code);
    }
    response.writeHead(302, { location: back.href }).end();
  },

  "as/token"(call) {
    const { response, tenant } = call;
    const answer = () => tokenAnswer(call);
    if (typeof tenant.settings.tokenRedirect === "string")
      return void response.writeHead(307, { location: tenant.settings.tokenRedirect }).end();
    if (typeof tenant.settings.tokenStatus === "number")
      return json(response, tenant.settings.tokenStatus, { error: "server_error" });
    if (tenant.settings.holdTokens === true) tenant.paused.push(answer);
    else answer();
  },

  "as/revoke"({ response, text, tenant }) {
    const token = new URLSearchParams(text).get("token");
    tenant.access.delete(token);
    tenant.refresh.delete(token);
    response.writeHead(200).end();
  },
};

function preset(tenant, id) {
  const { presetClient } = tenant.settings;
  return presetClient?.client_id === id ? presetClient : undefined;
}

function secretOf(tenant, kind) {
  const secret = `${kind}-secret-${randomUUID()}`;
  tenant.secrets.push(secret);
  return secret;
}

function tokenAnswer({ request, response, text, tenant, root }) {
  const form = Object.fromEntries(new URLSearchParams(text));
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  const [basicId, basicSecret] = basic === undefined ? [] : Buffer.from(basic, "base64").toString().split(":");
  const id = basicId ?? form.client_id;
  const client = tenant.clients.get(id) ?? preset(tenant, id);
  if (client === undefined || client.client_secret !== (basicSecret ?? form.client_secret)) {
    return json(response, 401, { error: "invalid_client", error_description: text });
  }
  const refuse = (error) => json(response, 400, { error, error_description: `You sent ${text}` });
  if (form.resource !== `${root}/mcp`) return refuse("invalid_target");
  if (form.grant_type === "refresh_token") {
    const family = tenant.refresh.get(form.refresh_token);
    if (family?.used === true) {
      // A refresh token that is used twice was stolen, so the whole grant ends (RFC 9700).
      tenant.reused += 1;
      tenant.refresh.clear();
      tenant.access.clear();
      return refuse("invalid_grant");
    }
    if (family === undefined) return refuse("invalid_grant");
    tenant.refresh.set(form.refresh_token, { used: true });
    return issue({ response, tenant });
  }
  const code = tenant.codes.get(form.code);
  tenant.codes.delete(form.code);
  const challenge = createHash("sha256")
    .update(form.code_verifier ?? "")
    .digest("base64url");
  const isValid =
    code?.code_challenge === challenge && code.redirect_uri === form.redirect_uri && code.client_id === id;
  return isValid ? issue({ response, tenant }) : refuse("invalid_grant");
}

function issue({ response, tenant }) {
  const { expiresIn = 3600, noRefresh = false, tokenType = "Bearer", lie } = tenant.settings;
  const access_token = secretOf(tenant, "access");
  const refresh_token = secretOf(tenant, "refresh");
  tenant.access.set(access_token, { until: Date.now() + expiresIn * 1000 });
  if (!noRefresh) tenant.refresh.set(refresh_token, { used: false });
  json(response, 200, {
    access_token,
    token_type: tokenType,
    expires_in: expiresIn,
    ...(noRefresh ? {} : { refresh_token }),
    ...lie,
  });
}
