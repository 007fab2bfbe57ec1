// How the Worker handles the close of an object's socket.

import { expect, it } from "vitest";

import { tooSlowCloseCode, webSocketCloseCode } from "#contract/error.ts";
import { expiredCloseCode } from "#contract/stream-limits.ts";
import { deliveryOfClose } from "#http/bridge/deliveries.ts";

it("A WebSocket close code for an error becomes that error, with the close reason or a default message", () => {
  for (const code of ["unauthorized", "forbidden", "thread_not_found", "rate_limited", "invalid_request"] as const) {
    const closed = webSocketCloseCode(code);
    expect(deliveryOfClose(closed, "Because.")).toEqual({ type: "refused", refusal: { code, message: "Because." } });
    expect(deliveryOfClose(closed, "")).toMatchObject({ type: "refused", refusal: { code } });
  }
});

it("A stream ends without a reconnect to the object if its socket is closed with the code for a normal end, a slow reader or an expired token", () => {
  for (const code of [1000, tooSlowCloseCode, expiredCloseCode])
    expect(deliveryOfClose(code, "")).toEqual({ type: "closed" });
});

it("A stream reconnects to the object if its socket is closed with a code for a lost connection, a restart or an internal error", () => {
  for (const code of [1005, 1006, 1011, 1012, 1013, 4500])
    expect([code, deliveryOfClose(code, "")]).toEqual([code, null]);
});
