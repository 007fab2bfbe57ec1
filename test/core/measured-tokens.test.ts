// The tokens that a provider counted, and the correction of estimates by them.

import { expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";
import { correction, countedConversation, countedRequest } from "#core/context/measured-tokens.ts";

const usage = { input: 90, output: 5, cache_read: 10, cache_write: 2, total_tokens: 107 };

it("The counted tokens of a request are its uncached tokens and those of the cache, and null if the provider counted none", () => {
  expect(countedRequest(usage)).toBe(102);
  expect(countedRequest({ ...zeroUsage, output: 5 })).toBeNull();
});

it("The counted tokens of a conversation include the answer, and are null if the provider counted none", () => {
  expect(countedConversation(usage)).toBe(107);
  expect(countedConversation({ ...zeroUsage, output: 5 })).toBe(5);
  expect(countedConversation(zeroUsage)).toBeNull();
});

it("The correction is the ratio of the count to the estimate, from a half to four", () => {
  expect(correction({ counted: 150, estimated: 100 })).toBe(1.5);
  expect(correction({ counted: 1, estimated: 100 })).toBe(0.5);
  expect(correction({ counted: 900, estimated: 100 })).toBe(4);
  expect(correction({ counted: 900, estimated: 0 })).toBe(1);
});
