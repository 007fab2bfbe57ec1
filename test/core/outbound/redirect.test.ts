// Redirects are followed one by one: each target is checked and looked up again, and no secret is sent to another origin.

import { describe, expect, it } from "vitest";

import { requested, closed, guard, newId, refused, server, serverHost } from "./guard.ts";
import type { ReceivedRequest } from "./guard.ts";

const to = (url: string, more = ""): string => `/redirect?to=${encodeURIComponent(url)}${more}`;
const one = "https://one.example.com";

describe("targets of redirects", () => {
  it("OUT9 A redirect is followed, also a relative one", async () => {
    const { guarded, sent } = guard();
    const response = await guarded(`${one}${to("https://two.example.com/redirect?to=/echo")}`);
    expect((await response.json<ReceivedRequest>()).path).toBe("/echo");
    expect(sent.slice(1)).toEqual(["https://two.example.com/redirect?to=/echo", "https://two.example.com/echo"]);
  });

  it.for([
    ["https://127.0.0.1/echo", "inside"],
    ["https://2130706433/echo", "inside"],
    ["//127.0.0.1/echo", "inside"],
    ["\\\\127.0.0.1\\echo", "inside"],
    ["https://[::ffff:a9fe:a9fe]/latest/meta-data", "inside"],
    ["https://localhost/echo", "inside"],
    ["https://loopback.example.com/echo", "inside"],
    ["https://mixed.example.com/echo", "inside"],
    ["https://failing.example.com/echo", "lookup_failed"],
    ["https://user:word@two.example.com/echo", "credentials"],
    ["https://two.example.com:22/echo", "port"],
    ["http://two.example.com/echo", "downgrade"],
    ["http://127.0.0.1/echo", "downgrade"],
    ["file:///etc/passwd", "scheme"],
    ["data:text/plain,x", "scheme"],
    ["https://", "bad_answer"],
  ] as const)("OUT9 A redirect to %s is not followed: %s", async ([location, reason]) => {
    const { guarded, sent } = guard();
    expect((await refused(guarded(one + to(location)))).reason).toBe(reason);
    expect(sent).toHaveLength(1);
  });

  it("OUT9 A host on the allow list cannot redirect to an internal host that is not on it", async () => {
    const id = newId();
    const { guarded } = guard({ allowed: serverHost() });
    const url = `${server()}${to("http://localhost:80/echo", `&id=${id}`)}`;
    expect(await refused(guarded(url))).toMatchObject({ reason: "inside", host: "localhost" });
    expect(await closed(id)).toMatchObject({});
  });

  it("OUT9 A host name is checked again when a redirect returns to it, although its address was public at first", async () => {
    const { guarded, sent } = guard({ dnsId: newId() });
    const call = guarded(`https://rebinding.example.com${to("/echo")}`);
    expect(await refused(call)).toMatchObject({ reason: "inside", host: "rebinding.example.com" });
    expect(sent).toHaveLength(1);
  });

  it("OUT9 Five redirects are followed and no sixth", async () => {
    const { guarded } = guard();
    const response = await guarded(`${one}/hop?left=5`);
    expect((await response.json<ReceivedRequest>()).path).toBe("/hop?left=0");
    const id = newId();
    expect(await refused(guarded(`${one}/hop?left=6&id=${id}`))).toMatchObject({
      reason: "redirects",
      code: "unavailable",
    });
    expect(await requested(id)).toHaveLength(6);
  });

  it("OUT9 A loop of redirects ends with an error", async () => {
    const id = newId();
    expect((await refused(guard().guarded(`${one}/hop?id=${id}`))).reason).toBe("redirects");
    expect(await requested(id)).toHaveLength(6);
  });

  it("OUT9 A caller of the guarded fetch may refuse redirects, or receive the redirect response", async () => {
    const { guarded } = guard();
    const url = one + to("https://127.0.0.1/");
    expect((await refused(guarded(url, { redirect: "error" }))).reason).toBe("redirects");
    const response = await guarded(url, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, "https://127.0.0.1/"]);
    await response.body?.cancel();
    expect((await refused(guarded(url, { redirect: "sometimes" }))).reason).toBe("bad_request");
  });

  it.for([300, 304, 302])("OUT9 A redirect status %d without a location is returned to the caller", async (status) => {
    const response = await guard().guarded(`${one}/empty?status=${status}`);
    expect(response.status).toBe(status);
    await response.body?.cancel();
  });
});

describe("headers and bodies of redirected requests", () => {
  it.for([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [301, "PUT", "PUT"],
    [302, "DELETE", "DELETE"],
    [307, "POST", "POST"],
    [308, "PATCH", "PATCH"],
  ] as const)("OUT10 A redirect with status %d turns %s into %s", async ([status, method, expected]) => {
    const id = newId();
    const body = method === "HEAD" ? null : "the body";
    const headers = { "content-type": "text/plain", "content-language": "en", accept: "text/html" };
    const url = one + to(`/echo?id=${id}`, `&status=${status}`);
    const response = await guard().guarded(url, { method, body, headers });
    await response.body?.cancel();
    const [received] = await requested(id);
    const kept = method === expected && body !== null;
    expect(received).toMatchObject({ method: expected, body: kept ? "the body" : "" });
    expect(received?.headers["accept"]).toBe("text/html");
    if (expected === "GET") {
      expect(received?.headers["content-type"]).toBeUndefined();
      expect(received?.headers["content-language"]).toBeUndefined();
    } else if (kept) expect(received?.headers["content-type"]).toBe("text/plain");
  });

  it.for([
    ["text", "the body"],
    ["bytes", new TextEncoder().encode("the body")],
  ] as const)("OUT10 A request body of %s is sent again after a redirect", async ([, body]) => {
    const id = newId();
    const response = await guard().guarded(one + to(`/echo?id=${id}`, "&status=307"), { method: "POST", body });
    await response.body?.cancel();
    expect((await requested(id))[0]?.body).toBe("the body");
  });

  it("OUT10 A streamed request body is not sent again after a redirect", async () => {
    const stream = (): ReadableStream => new Response("the body").body ?? new ReadableStream();
    const { guarded, sent } = guard();
    const call = guarded(one + to("/echo", "&status=307"), { method: "POST", body: stream() });
    expect((await refused(call)).reason).toBe("body_gone");
    expect(sent).toHaveLength(1);
    const id = newId();
    const response = await guarded(one + to(`/echo?id=${id}`, "&status=303"), { method: "POST", body: stream() });
    await response.body?.cancel();
    expect(await requested(id)).toHaveLength(1);
  });

  it.for([
    [307, "POST"],
    [308, "PUT"],
    [301, "PUT"],
    [302, "DELETE"],
  ] as const)("OUT19 A redirect with status %d sends the body of a %s to no other origin", async ([status, method]) => {
    const id = newId();
    const bodies = ["the body", new TextEncoder().encode("the body"), new Response("the body").body ?? "", ""];
    for (const body of bodies) {
      const { guarded, sent } = guard();
      const call = guarded(one + to(`https://two.example.com/echo?id=${id}`, `&status=${status}`), { method, body });
      expect(await refused(call)).toMatchObject({ reason: "body_elsewhere", code: "invalid_request" });
      expect(sent).toHaveLength(1);
    }
    expect(await requested(id)).toEqual([]);
  });

  it.for([
    [307, "POST", null],
    [303, "POST", "the body"],
    [302, "POST", "the body"],
  ] as const)(
    "OUT19 A redirect with status %d of a %s with %s is followed to another origin, without a body",
    async (given) => {
      const [status, method, body] = given;
      const id = newId();
      const url = one + to(`https://two.example.com/echo?id=${id}`, `&status=${status}`);
      const response = await guard().guarded(url, { method, body });
      await response.body?.cancel();
      expect(await requested(id)).toMatchObject([{ method: status === 307 ? "POST" : "GET", body: "" }]);
    },
  );

  const secrets = {
    authorization: "Bearer secret-1",
    cookie: "session=secret-2",
    "x-api-key": "secret-3",
    "x-goog-api-key": "secret-4",
  };
  const harmless = { accept: "text/html", "user-agent": "tests" };

  it("OUT11 A redirect to the same origin keeps every header", async () => {
    const id = newId();
    const response = await guard().guarded(one + to(`/echo?id=${id}`), { headers: { ...secrets, ...harmless } });
    await response.body?.cancel();
    expect((await requested(id))[0]?.headers).toMatchObject({ ...secrets, ...harmless });
  });

  it.for(["https://two.example.com", "https://one.example.com:8443"])(
    "OUT11 A redirect to %s drops every header that may be a secret",
    async (origin) => {
      const id = newId();
      const url = one + to(`${origin}/echo?id=${id}`);
      const response = await guard().guarded(url, { headers: { ...secrets, ...harmless } });
      await response.body?.cancel();
      const [received] = await requested(id);
      expect(received?.headers).toMatchObject(harmless);
      expect(JSON.stringify(received)).not.toContain("secret");
    },
  );

  it("OUT11 If a redirect drops a secret, a later redirect does not send it again", async () => {
    const id = newId();
    const back = `https://two.example.com${to(`${one}/echo?id=${id}`)}`;
    const response = await guard().guarded(one + to(back), { headers: secrets });
    await response.body?.cancel();
    expect(JSON.stringify(await requested(id))).not.toContain("secret");
  });
});
