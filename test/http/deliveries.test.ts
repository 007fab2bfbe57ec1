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

it("A stream whose object closes it normally, as too slow or as expired ends without a reconnect to the object", () => {
  for (const code of [1000, tooSlowCloseCode, expiredCloseCode])
    expect(deliveryOfClose(code, "")).toEqual({ type: "closed" });
});

it("A stream whose connection to the object broke is connected to the object again", () => {
  for (const code of [1005, 1006, 1011, 1012, 1013, 4500])
    expect([code, deliveryOfClose(code, "")]).toEqual([code, null]);
});
