// The variables of the webhook for threads that begin to wait.

import { expect, it } from "vitest";

import { webhookSettings } from "#lib/webhook-settings.ts";

const secret = `whsec_${btoa("x".repeat(32))}`;
const valid = { WAITING_WEBHOOK_URL: "https://example.com/hook", WAITING_WEBHOOK_SECRET: secret };

/** The settings, and the variables that were reported as invalid. */
function read(variables: Record<string, unknown>, isLocal = false) {
  const invalid: string[] = [];
  const settings = webhookSettings(variables, { isLocal, onInvalid: (name) => invalid.push(name) });
  return { settings, invalid };
}

it("INBOX6 A webhook needs an address and a secret, and sends no content unless WAITING_WEBHOOK_CONTENT is true", () => {
  expect(read({})).toEqual({ settings: null, invalid: [] });
  expect(read({ WAITING_WEBHOOK_SECRET: secret })).toEqual({ settings: null, invalid: [] });
  expect(read(valid)).toMatchObject({ settings: { url: valid.WAITING_WEBHOOK_URL, content: false, allowedHosts: [] } });
  expect(read({ ...valid, WAITING_WEBHOOK_CONTENT: "true" })).toMatchObject({ settings: { content: true } });
  expect(read({ ...valid, WAITING_WEBHOOK_CONTENT: "yes" })).toEqual({
    settings: null,
    invalid: ["WAITING_WEBHOOK_CONTENT"],
  });
});

it.each([
  "http://example.com/hook",
  "ftp://example.com",
  "https://ada:pw@example.com",
  "hook",
  "http://127.0.0.1:9/",
  "https://localhost/",
])("INBOX6 The address %s is invalid for the webhook of a deployment", (url) => {
  expect(read({ ...valid, WAITING_WEBHOOK_URL: url })).toEqual({ settings: null, invalid: ["WAITING_WEBHOOK_URL"] });
});

it.each(["http://127.0.0.1:9/hook", "http://localhost:9/hook", "http://[::1]:9/hook"])(
  "INBOX6 The address %s is valid for the webhook of a local server, and the guarded fetch allows its host",
  (url) => {
    const { settings, invalid } = read({ ...valid, WAITING_WEBHOOK_URL: url }, true);
    expect(invalid).toEqual([]);
    expect(settings?.allowedHosts).toEqual([new URL(url).host]);
    expect(read({ ...valid, WAITING_WEBHOOK_URL: "http://10.0.0.7/" }, true).settings).toBeNull();
  },
);

it.each([
  "",
  "secret",
  btoa("x".repeat(32)),
  "whsec_",
  `whsec_${btoa("short")}`,
  `whsec_${btoa("x".repeat(65))}`,
  "whsec_%%%",
])("INBOX6 A webhook with the invalid secret %j is off", (text) => {
  const { settings, invalid } = read({ ...valid, WAITING_WEBHOOK_SECRET: text });
  expect(settings).toBeNull();
  expect(invalid).toEqual(["WAITING_WEBHOOK_SECRET"]);
});
