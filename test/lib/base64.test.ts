// Base64 of bytes that arrive in pieces.

import fc from "fast-check";
import { expect, it } from "vitest";

import { joinBase64, toBase64 } from "#lib/base64.ts";

it("The joined base64 of pieces equals the base64 of all their bytes, with and without padding", () => {
  const piece = fc.tuple(fc.uint8Array({ maxLength: 20 }), fc.boolean());
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const joined = joinBase64(
        pieces.map(([bytes, isPadded]) => (isPadded ? toBase64(bytes) : toBase64(bytes).replace(/=+$/, ""))),
      );
      const all = Uint8Array.from(pieces.flatMap(([bytes]) => [...bytes]));
      expect(joined.replace(/=+$/, "")).toBe(toBase64(all).replace(/=+$/, ""));
    }),
  );
});

it("Base64 pieces cannot be joined if a piece after a padded piece is not base64", () => {
  expect(() => joinBase64(["AA==", "no base64"])).toThrow("no base64");
});
