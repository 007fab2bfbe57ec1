// Which addresses a guarded fetch reaches over real HTTP: listed hosts, and public names.

import { describe, expect, it } from "vitest";

import { requested, guard, newId, refused, server, serverHost } from "./guard.ts";
import type { ReceivedRequest } from "./guard.ts";

const serverPort = (): string => new URL(server()).port;

describe("this machine", () => {
  it("OUT5 A server on the loopback interface can be requested if the allow list has its host and port", async () => {
    const id = newId();
    const { guarded } = guard({ allowed: serverHost() });
    const response = await guarded(`${server()}/echo?id=${id}`, { headers: { "x-own": "kept" } });
    expect(response.status).toBe(200);
    expect(await response.json<ReceivedRequest>()).toMatchObject({ method: "GET", path: `/echo?id=${id}` });
    const [received] = await requested(id);
    expect(received?.headers["x-own"]).toBe("kept");
  });

  it.for([
    "http://127.0.0.1:PORT",
    "https://127.0.0.1:PORT",
    "http://localhost:PORT",
    "http://127.1:PORT",
    "http://2130706433:PORT",
    "http://0x7f000001:PORT",
    "http://017700000001:PORT",
    "http://0:PORT",
    "http://[::1]:PORT",
    "http://[::ffff:127.0.0.1]:PORT",
    "http://[::ffff:7f00:1]:PORT",
    "http://[64:ff9b::127.0.0.1]:PORT",
    "http://１２７.０.０.１:PORT",
    "http://127。0。0。1:PORT",
    "http://good.example.com@127.0.0.1:PORT",
    "http://good.example.com:x@127.0.0.1:PORT",
    "http://127.0.0.1:PORT\\@good.example.com",
    "http:\\\\127.0.0.1:PORT",
    "http:127.0.0.1:PORT",
    "http://127.0.0.1:PORT#@good.example.com",
  ])("OUT1, OUT5 A request to %s is refused if the allow list is empty, and nothing is sent", async (text) => {
    const id = newId();
    const { guarded, sent } = guard();
    const error = await refused(guarded(`${text.replace("PORT", serverPort())}/echo?id=${id}`));
    expect(["inside", "credentials"]).toContain(error.reason);
    expect(error.code).toBe("invalid_request");
    expect(sent).toEqual([]);
    expect(await requested(id)).toEqual([]);
  });

  it("OUT5 An entry of the allow list with a port allows no other port and no other name of this machine", async () => {
    const { guarded, sent } = guard({ allowed: serverHost() });
    const other = String(Number(serverPort()) === 65_535 ? 65_534 : Number(serverPort()) + 1);
    for (const host of [
      `127.0.0.1:${other}`,
      `127.0.0.1`,
      `127.0.0.2:${serverPort()}`,
      `localhost:${serverPort()}`,
      `0.0.0.0:${serverPort()}`,
      `[::1]:${serverPort()}`,
      `[::ffff:127.0.0.1]:${serverPort()}`,
      `loopback.example.com:${serverPort()}`,
    ]) {
      const scheme = host.startsWith("loopback") ? "https" : "http";
      expect((await refused(guarded(`${scheme}://${host}/echo`))).reason).toBe("inside");
    }
    expect(sent).toEqual([]);
  });

  it("OUT5 Hosts in the allowedHosts of a call are allowed for that call only", async () => {
    const { guarded } = guard();
    const url = `${server()}/echo`;
    const response = await guarded(url, { allowedHosts: [serverHost()] });
    await response.body?.cancel();
    expect(response.status).toBe(200);
    expect((await refused(guarded(url))).reason).toBe("inside");
    expect((await refused(guarded(url, { allowedHosts: ["http://127.0.0.1"] }))).reason).toBe("bad_request");
  });
});

describe("names", () => {
  it.for(["one.example.com", "v6only.example.com", "alias.example.com", "whole-alias.example.com"])(
    "OUT6 The host %s, all of whose addresses are public, is requested",
    async (name) => {
      const { guarded, sent } = guard();
      const url = `https://${name}/echo`;
      const response = await guarded(url);
      expect((await response.json<ReceivedRequest>()).path).toBe("/echo");
      expect(sent).toEqual([url]);
    },
  );

  it.for([
    "loopback.example.com",
    "loopback6.example.com",
    "private.example.com",
    "metadata.example.com",
    "mapped.example.com",
    "mixed.example.com",
    "mixed6.example.com",
    "garbled.example.com",
    "inward.example.com",
  ])("OUT6 The host %s, which has at least one internal address, is refused", async (name) => {
    const { guarded, sent } = guard();
    const error = await refused(guarded(`https://${name}/echo`));
    expect(error).toMatchObject({ reason: "inside", host: name, code: "invalid_request" });
    expect(error.message).toContain("ALLOWED_OUTBOUND_HOSTS");
    expect(sent).toEqual([]);
  });

  it("OUT6 A host name on the allow list is requested whatever its addresses are, and is not looked up", async () => {
    const dnsId = newId();
    const { guarded } = guard({ allowed: "loopback.example.com", dnsId });
    const response = await guarded("http://loopback.example.com/echo");
    expect(response.status).toBe(200);
    await response.body?.cancel();
    expect(await requested(dnsId)).toEqual([]);
  });

  it("OUT6 The guarded fetch looks a host name up again for each request", async () => {
    const { guarded, sent } = guard({ dnsId: newId() });
    const response = await guarded("https://rebinding.example.com/echo");
    await response.body?.cancel();
    expect((await refused(guarded("https://rebinding.example.com/echo"))).reason).toBe("inside");
    expect(sent).toHaveLength(1);
  });

  it.for(["nowhere.example.com", "empty.example.com"])(
    "OUT6 A request to the host name %s, which does not exist, is refused",
    async (name) => {
      const error = await refused(guard().guarded(`https://${name}/`));
      expect(error).toMatchObject({ reason: "unknown_host", host: name, code: "invalid_request" });
    },
  );

  it("OUT8 A request is refused and not sent if the lookup of its host name fails", async () => {
    const { guarded, sent } = guard();
    const error = await refused(guarded("https://failing.example.com/"));
    expect(error).toMatchObject({ reason: "lookup_failed", host: "failing.example.com", code: "unavailable" });
    expect(sent).toEqual([]);
  });
});
