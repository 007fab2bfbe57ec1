// Texts that are encrypted for a place.

import { expect, it } from "vitest";

import { readSealKeys, seal, unseal } from "#lib/sealed-text.ts";
import type { SealKeys } from "#lib/sealed-text.ts";

const newKey = (): string => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));

async function keysOf(variable: string): Promise<SealKeys> {
  const keys = await readSealKeys(variable);
  if (keys === null) throw new Error("These keys are not valid.");
  return keys;
}

const place = ["tokens", "anna", "docs"];

it("OAUTH12 A sealed text is decrypted with its key for its place (such as an owner and a server), and the same text is sealed differently each time", async () => {
  const keys = await keysOf(newKey());
  const [one, other] = [await seal(keys, "Grüße\u0000", place), await seal(keys, "Grüße\u0000", place)];
  expect(one).not.toBe(other);
  expect(one).toMatch(/^1\.[\w-]+$/);
  expect(await unseal(keys, one, place)).toBe("Grüße\u0000");
});

it.each([
  ["another owner", ["tokens", "ben", "docs"]],
  ["another server", ["tokens", "anna", "mail"]],
  ["parts that are equal when they are joined", ["tokens", "annado", "cs"]],
  ["fewer parts", ["tokens", "anna"]],
])("OAUTH12 A sealed text is not decrypted for a place with %s", async (_, other) => {
  const keys = await keysOf(newKey());
  expect(await unseal(keys, await seal(keys, "secret", place), other)).toBeNull();
});

it("OAUTH12 A sealed text is not decrypted with a different key, or after any of its characters was changed", async () => {
  const keys = await keysOf(newKey());
  const sealed = await seal(keys, "secret", place);
  expect(await unseal(await keysOf(newKey()), sealed, place)).toBeNull();
  for (let at = 0; at < sealed.length; at += 1) {
    const other = sealed[at] === "A" ? "B" : "A";
    // The last character of base64 may have bits that encode nothing.
    if (at === sealed.length - 1) continue;
    expect(await unseal(keys, sealed.slice(0, at) + other + sealed.slice(at + 1), place), String(at)).toBeNull();
  }
  for (const text of ["", "1.", "1.A", sealed.slice(0, 20), `${sealed}AAAA`]) {
    expect(await unseal(keys, text, place), text).toBeNull();
  }
});

it("OAUTH13 The first key of the list encrypts, and every key of the list decrypts", async () => {
  const [old, current] = [newKey(), newKey()];
  const before = await seal(await keysOf(old), "secret", place);
  const both = await keysOf(`${current}, ${old}`);
  expect(await unseal(both, before, place)).toBe("secret");
  const after = await seal(both, "secret", place);
  expect(await unseal(await keysOf(current), after, place)).toBe("secret");
  expect(await unseal(await keysOf(old), after, place)).toBeNull();
});

it.each([
  ["nothing", undefined],
  ["an empty text", ""],
  ["a passphrase", "correct horse battery staple"],
  ["16 bytes", btoa("0123456789abcdef")],
  ["33 bytes", btoa("0123456789abcdef0123456789abcdefx")],
  ["a valid key and an invalid one", `${newKey()},x`],
  ["a list that ends with a comma", `${newKey()},`],
  ["nine keys", Array.from({ length: 9 }, newKey).join(",")],
])("OAUTH13 A variable with %s has no keys", async (_, variable) => {
  expect(await readSealKeys(variable)).toBeNull();
});
