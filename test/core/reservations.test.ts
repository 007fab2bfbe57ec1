// Shares of a budget that requests in flight have reserved, and requests that wait for a share.

import { describe, expect, it } from "vitest";

import { noBounds, zeroUse } from "#core/limits/amounts.ts";
import type { Bounds, Used } from "#core/limits/amounts.ts";
import { Reservations } from "#core/limits/reservations.ts";

const never = new AbortController().signal;
const budgets = (bounds: Partial<Bounds>, used: Partial<Used> = {}) => ({
  run: { bounds: { ...noBounds, ...bounds }, used: { ...zeroUse, ...used } },
  thread: { bounds: noBounds, used: zeroUse },
});

describe("a reservation", () => {
  it("LIMIT28 A request's share of a budget is reserved if used, reserved and requested amounts stay within the limit, or if nothing is reserved", () => {
    const reservations = new Reservations();
    const share = { ...zeroUse, steps: 1, tokens: 40 };
    expect(reservations.fits({ ...share, tokens: 1000 }, budgets({ tokens: 100 }, { tokens: 99 }))).toBe(true);
    const { release } = reservations.reserve(share);
    expect(reservations.fits(share, budgets({ tokens: 100 }, { tokens: 20 }))).toBe(true);
    expect(reservations.fits(share, budgets({ tokens: 100 }, { tokens: 21 }))).toBe(false);
    expect(reservations.fits(share, budgets({ steps: 2 }))).toBe(true);
    expect(reservations.fits(share, budgets({ steps: 2 }, { steps: 1 }))).toBe(false);
    release();
    release();
    expect(reservations.sum).toEqual(zeroUse);
  });

  it("LIMIT31 A reserved share is replaced if the other share fits with those of the requests in flight, else it stays, and after its release it cannot be replaced", () => {
    const reservations = new Reservations();
    const share = { ...zeroUse, steps: 1, tokens: 40 };
    const { release, replace } = reservations.reserve(share);
    expect(replace({ ...share, tokens: 1000 }, budgets({ tokens: 100 }))).toBe(true);
    expect(replace(share, budgets({ tokens: 100 }))).toBe(true);
    const other = reservations.reserve(share);
    expect(replace({ ...share, tokens: 60 }, budgets({ tokens: 100 }))).toBe(true);
    expect(replace({ ...share, tokens: 61 }, budgets({ tokens: 100 }))).toBe(false);
    expect(reservations.sum).toEqual({ ...zeroUse, steps: 2, tokens: 100 });
    release();
    expect(replace(share, budgets({}))).toBe(false);
    other.release();
    expect(reservations.sum).toEqual(zeroUse);
  });

  it("LIMIT28 Parallel requests under a limit of tokens or cost are at most five, and under other limits any number", () => {
    const reservations = new Reservations();
    const share = { ...zeroUse, steps: 1 };
    for (let count = 0; count < 5; count += 1) reservations.reserve(share);
    expect(reservations.fits(share, budgets({ tokens: 1e9 }))).toBe(false);
    expect(reservations.fits(share, budgets({ cost: 1e9 }))).toBe(false);
    expect(reservations.fits(share, budgets({ steps: 250 }))).toBe(true);
  });

  it("LIMIT28 The first waiting request checks the budget again if a reservation is released during its check, and no other request overtakes it", async () => {
    const reservations = new Reservations();
    const order: string[] = [];
    const { release } = reservations.reserve({ ...zeroUse, steps: 1 });
    let requested = 0;
    const first = reservations.inOrder(() => {
      requested += 1;
      // The share is released before the request receives its refusal.
      if (requested === 1) queueMicrotask(release);
      return Promise.resolve(requested === 1 ? null : { done: order.push("first") });
    }, never);
    const second = reservations.inOrder(() => Promise.resolve({ done: order.push("second") }), never);
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "second"]);
  });

  it("LIMIT28 A waiting request checks the budget again when the run is stopped, and the next request checks it after the check of an earlier request fails", async () => {
    const reservations = new Reservations();
    const stop = new AbortController();
    reservations.reserve({ ...zeroUse, steps: 1 });
    const waiting = reservations.inOrder(
      () => Promise.resolve(stop.signal.aborted ? { stopped: true } : null),
      stop.signal,
    );
    const failing = reservations.inOrder(() => Promise.reject(new Error("broken")), never);
    const last = reservations.inOrder(() => Promise.resolve({ requested: true }), never);
    // The first request has checked by then, and waits for a share or the signal.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    stop.abort();
    expect(await waiting).toEqual({ stopped: true });
    await expect(failing).rejects.toThrow("broken");
    expect(await last).toEqual({ requested: true });
  });
});
