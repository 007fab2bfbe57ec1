// Bodies end at the limit of bytes, whatever their headers declare, and when they are cancelled or aborted. No connection stays open.

import { describe, expect, it } from "vitest";

import type { Transport } from "#core/outbound/exchange.ts";

import { closed, guard, network, newId, refused } from "./guard.ts";

const one = "https://one.example.com";

describe("bytes", () => {
  it("OUT12 A response body with exactly as many bytes as the limit is read, and one with a longer declared length is refused before it is read", async () => {
    const { guarded } = guard({ limits: { bytes: 1000 } });
    expect((await (await guarded(`${one}/bytes?n=1000`)).text()).length).toBe(1000);
    const id = newId();
    const error = await refused(guarded(`${one}/bytes?n=1001&id=${id}`));
    expect(error).toMatchObject({ reason: "too_large", code: "too_large", host: "one.example.com" });
    await closed(id);
  });

  it("OUT12 A call of the guarded fetch may set a limit of bytes for the body that replaces the default", async () => {
    const { guarded } = guard({ limits: { bytes: 1000 } });
    expect((await refused(guarded(`${one}/bytes?n=11`, { limits: { bytes: 10 } }))).reason).toBe("too_large");
    expect((await (await guarded(`${one}/bytes?n=2000`, { limits: { bytes: 2000 } })).text()).length).toBe(2000);
  });

  it("OUT12 An endless response body is cut off at the limit of bytes, and its connection is closed", async () => {
    const id = newId();
    const { guarded } = guard({ limits: { bytes: 1_000_000 } });
    const response = await guarded(`${one}/endless?id=${id}`);
    let read = 0;
    const reading = async () => {
      for await (const piece of response.body ?? []) read += (piece as Uint8Array).byteLength;
    };
    expect((await refused(reading())).reason).toBe("too_large");
    expect(read).toBeLessThanOrEqual(1_000_000);
    expect(read).toBeGreaterThan(500_000);
    expect(await closed(id)).toEqual({ complete: false });
  });

  it("OUT12 A declared length below the actual one does not raise the limit of a response body", async () => {
    const { guarded } = guard();
    expect(await (await guarded(`${one}/understated`, { limits: { bytes: 10 } })).text()).toBe("0123456789");
    const response = await guarded(`${one}/understated`, { limits: { bytes: 9 } });
    expect((await refused(response.text())).reason).toBe("too_large");
  });

  it("OUT12 A response body is refused if its declared length exceeds the limit, although the body is shorter", async () => {
    expect((await refused(guard().guarded(`${one}/overstated`))).reason).toBe("too_large");
  });

  it("OUT12 A compressed response body is counted by its uncompressed bytes", async () => {
    const id = newId();
    const { guarded } = guard({ limits: { bytes: 2_000_000 } });
    const response = await guarded(`${one}/bomb?id=${id}`);
    let read = 0;
    const reading = async () => {
      for await (const piece of response.body ?? []) read += (piece as Uint8Array).byteLength;
    };
    expect((await refused(reading())).reason).toBe("too_large");
    expect(read).toBeLessThanOrEqual(2_000_000);
    await closed(id);
  });

  it("OUT17 A response with a decompressed body does not declare an encoding", async () => {
    const response = await guard().guarded(`${one}/gzip`);
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("content-length")).toBeNull();
    expect(await response.text()).toBe("unpacked");
  });
});

describe("ends", () => {
  it("A cancelled response body closes the connection to the server", async () => {
    const id = newId();
    const response = await guard().guarded(`${one}/endless?id=${id}`);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(await closed(id)).toEqual({ complete: false });
  });

  it("The connection of a response body is closed if the body is too large, also on a platform that ignores the abort signal", async () => {
    const id = newId();
    const deaf: Transport["fetch"] = (url, init) => network().fetch(url, { ...init, signal: null });
    const { guarded } = guard({ fetch: deaf, limits: { bytes: 100_000 } });
    const response = await guarded(`${one}/endless?id=${id}`);
    expect((await refused(response.text())).reason).toBe("too_large");
    expect(await closed(id)).toEqual({ complete: false });
  });

  it("An abort by the caller of the guarded fetch ends the request and the response body with the caller's reason", async () => {
    const reason = new Error("enough");
    const waiting = new AbortController();
    const { guarded } = guard();
    const id = newId();
    const response = await guarded(`${one}/silent?id=${id}`, { signal: waiting.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    const next = reader?.read();
    waiting.abort(reason);
    await expect(next).rejects.toBe(reason);
    expect(await closed(id)).toEqual({ complete: false });
  });

  it("A call of the guarded fetch with an aborted signal sends no request", async () => {
    const reason = new Error("enough");
    const { guarded, sent } = guard();
    await expect(guarded(`${one}/echo`, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(sent).toEqual([]);
  });

  it("If a response body breaks off, reading it fails as a broken connection", async () => {
    const response = await guard().guarded(`${one}/broken`);
    expect(await refused(response.text())).toMatchObject({ reason: "connection", code: "unavailable" });
  });

  it("A request to a host without a listener fails as a broken connection", async () => {
    const { guarded } = guard({ allowed: "127.0.0.1:1" });
    expect(await refused(guarded("http://127.0.0.1:1/"))).toMatchObject({ reason: "connection", host: "127.0.0.1:1" });
  });
});

describe("unusual responses", () => {
  it.for([204, 205, 304])("OUT17 A response of status %d has no body", async (status) => {
    const response = await guard().guarded(`${one}/empty?status=${status}`);
    expect(response.status).toBe(status);
    expect(response.body).toBeNull();
  });

  it.for([400, 404, 500, 599])("OUT17 A response of status %d is returned to the caller", async (status) => {
    const response = await guard().guarded(`${one}/empty?status=${status}`);
    expect(response.status).toBe(status);
    await response.body?.cancel();
  });

  it.for(["/status-999", "/upgrade"])("OUT17 The invalid response %s fails the request", async (path) => {
    expect((await refused(guard().guarded(one + path))).reason).toBe("bad_answer");
  });
});
