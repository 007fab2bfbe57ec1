// Every wait is bounded. The clock is moved by hand, after the server has confirmed that it holds the request.

import { describe, expect, it } from "vitest";

import { createRequestQueue } from "#lib/bounded-fetch.ts";

import { ManualClock } from "../support/manual-clock.ts";
import { arrived, requested, closed, guard, newId, refused, sendPiece } from "./guard.ts";

const one = "https://one.example.com";
const limits = { headersMs: 3000, idleMs: 2000, totalMs: 10_000 };

/** A guarded fetch on a test's clock. All names are known, so that no query sets a timer. */
function timed(more: Parameters<typeof guard>[0] = {}) {
  const clock = new ManualClock();
  const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ["93.184.215.14"] }) };
  return { clock, guarded: guard({ clock, resolver, limits, ...more }).guarded };
}

describe("time", () => {
  it("OUT13 If the headers of a response never arrive, the call ends at the time limit for headers", async () => {
    const id = newId();
    const { clock, guarded } = timed();
    const error = refused(guarded(`${one}/hold?id=${id}`));
    await arrived(id);
    await clock.advance(2999);
    expect(clock.armed).toBe(2);
    await clock.advance(1);
    expect(await error).toMatchObject({ reason: "slow_headers", code: "unavailable", host: "one.example.com" });
    expect(await closed(id)).toEqual({ complete: false });
    expect(clock.armed).toBe(0);
  });

  it("No timer remains after a response body was read to its end, and after a response without a body", async () => {
    const { clock, guarded } = timed();
    const response = await guarded(`${one}/bytes?n=100000`);
    expect(clock.armed).toBe(1);
    expect((await response.text()).length).toBe(100_000);
    expect(clock.armed).toBe(0);
    await guarded(`${one}/empty?status=204`);
    expect(clock.armed).toBe(0);
    await refused(guarded(`${one}/overstated`));
    expect(clock.armed).toBe(0);
  });

  it("OUT13 If a response body stops sending, the call of the guarded fetch ends at the time limit for a silent body", async () => {
    const id = newId();
    const { clock, guarded } = timed();
    const response = await guarded(`${one}/silent?id=${id}`);
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value as Uint8Array)).toBe("a piece");
    const next = refused(reader?.read() ?? Promise.resolve());
    await clock.advance(2000);
    expect(await next).toMatchObject({ reason: "silent_body", code: "unavailable" });
    expect(await closed(id)).toEqual({ complete: false });
    expect(clock.armed).toBe(0);
  });

  it("OUT13 The time limit for a silent body runs only while the caller waits for a read, and begins again with each chunk", async () => {
    const id = newId();
    const { clock, guarded } = timed();
    const response = await guarded(`${one}/pieces?id=${id}`);
    const reader = response.body?.getReader();
    for (let piece = 0; piece < 3; piece += 1) {
      await clock.advance(1500);
      const read = reader?.read();
      await clock.advance(1500);
      await sendPiece(id);
      expect((await read)?.done).toBe(false);
    }
    await reader?.cancel();
    expect(clock.armed).toBe(0);
  });

  it("OUT13 A response body that arrives very slowly is ended at the time limit of the whole call", async () => {
    const id = newId();
    const { clock, guarded } = timed();
    const response = await guarded(`${one}/pieces?id=${id}`);
    const reader = response.body?.getReader();
    for (let piece = 0; piece < 9; piece += 1) {
      const read = reader?.read();
      await clock.advance(1000);
      await sendPiece(id);
      await read;
    }
    const next = refused(reader?.read() ?? Promise.resolve());
    await clock.advance(1000);
    expect((await next).reason).toBe("too_slow");
    expect(await closed(id)).toEqual({ complete: false });
  });

  it("OUT13 An unread response body is cancelled at the time limit of the call", async () => {
    const id = newId();
    const { clock, guarded } = timed();
    const response = await guarded(`${one}/endless?id=${id}`);
    await clock.advance(10_000);
    expect(await closed(id)).toEqual({ complete: false });
    expect((await refused(response.text())).reason).toBe("too_slow");
  });

  it("OUT13 The time limit of the whole call includes its redirects", async () => {
    const id = newId();
    const { clock, guarded } = timed({ limits: { ...limits, headersMs: 60_000 } });
    const error = refused(guarded(`${one}/redirect?to=/hold?id=${id}`));
    await arrived(id);
    await clock.advance(9999);
    expect(clock.armed).toBe(2);
    await clock.advance(1);
    expect((await error).reason).toBe("too_slow");
  });

  it("OUT13 A request with infinite time limits sets no timer", async () => {
    const id = newId();
    const lifted = { headersMs: Infinity, idleMs: Infinity, totalMs: Infinity };
    const { clock, guarded } = timed({ limits: lifted });
    const response = await guarded(`${one}/silent?id=${id}`);
    expect(clock.armed).toBe(0);
    await response.body?.cancel();
  });

  it("OUT13 The time limits of a call do not run while it waits for a free slot, and its slot is free again once headers have arrived", async () => {
    const [first, second] = [newId(), newId()];
    const inTurn = createRequestQueue(1);
    const { clock, guarded } = timed({ inTurn });
    const holding = new AbortController();
    const paused = guarded(`${one}/hold?id=${first}`, {
      limits: { headersMs: Infinity, totalMs: Infinity },
      signal: holding.signal,
    });
    const over = expect(paused).rejects.toThrow("let go");
    await arrived(first);
    const waiting = guarded(`${one}/silent?id=${second}`);
    await clock.advance(60_000);
    expect(clock.armed).toBe(0);
    expect(await requested(second)).toEqual([]);
    holding.abort(new Error("let go"));
    await over;
    const response = await waiting;
    // Its body is still open, and the slot is free all the same.
    expect(await inTurn(null, () => Promise.resolve("free"))).toBe("free");
    await response.body?.cancel();
    expect(clock.armed).toBe(0);
  });

  it("OUT13 A call sends no request if it is aborted while it waits for a free slot", async () => {
    const [first, second] = [newId(), newId()];
    const { guarded } = timed({ inTurn: createRequestQueue(1) });
    const holding = new AbortController();
    const paused = expect(guarded(`${one}/hold?id=${first}`, { signal: holding.signal })).rejects.toThrow("let go");
    await arrived(first);
    const leaving = new AbortController();
    const left = expect(guarded(`${one}/echo?id=${second}`, { signal: leaving.signal })).rejects.toThrow("gone");
    leaving.abort(new Error("gone"));
    await left;
    holding.abort(new Error("let go"));
    await paused;
    expect(await requested(second)).toEqual([]);
  });
});
