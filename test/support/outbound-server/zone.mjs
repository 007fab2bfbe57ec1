// The names that the resolver knows. A question that a name has no answer for gets no records.

/**
 * `ttl` is 0 by default; `later` are the records for every question after the first.
 * @typedef {{ type: number, data: string, ttl?: number, name?: string }} GivenRecord
 * @typedef {{ records?: GivenRecord[], later?: GivenRecord[], status?: number, truncated?: boolean, odd?: string,
 * oddType?: number }} GivenName
 */

export const A = 1;
export const CNAME = 5;
const AAAA = 28;

const publicV4 = "93.184.215.14";
const publicV6 = "2606:2800:21f:cb07:6820:80da:af6b:8b2c";

/** @param {string} data */
const v4 = (data, ttl = 0) => ({ type: A, data, ttl });
/** @param {string} data */
const v6 = (data, ttl = 0) => ({ type: AAAA, data, ttl });
/** @param {string} data */
const alias = (data, ttl = 0) => ({ type: CNAME, data, ttl });
const open = [v4(publicV4), v6(publicV6)];

/** @type {Record<string, GivenName>} */
export const zone = {
  "one.example.com": { records: open },
  "two.example.com": { records: open },
  "v6only.example.com": { records: [v6(publicV6)] },
  "kept.example.com": { records: [v4(publicV4, 30), v6(publicV6, 20)] },
  "long.example.com": { records: [v4(publicV4, 86_400), v6(publicV6, 86_400)] },

  "loopback.example.com": { records: [v4("127.0.0.1")] },
  "loopback6.example.com": { records: [v6("::1")] },
  "private.example.com": { records: [v4("10.1.2.3")] },
  "metadata.example.com": { records: [v4("169.254.169.254")] },
  "mapped.example.com": { records: [v6("::ffff:93.184.215.14")] },
  "mixed.example.com": { records: [v4(publicV4), v4("192.168.0.9"), v6(publicV6)] },
  "mixed6.example.com": { records: [v4(publicV4), v6("fd00::7")] },
  "garbled.example.com": { records: [v4("93.184.215.14.evil"), v6(publicV6)] },
  "rebinding.example.com": { records: open, later: [v4("127.0.0.1")] },

  "alias.example.com": { records: [alias("second.example.com.")] },
  "second.example.com": { records: [alias("Two.Example.Com.")] },
  "whole-alias.example.com": { records: [alias("two.example.com."), { ...v4(publicV4), name: "two.example.com" }] },
  "inward.example.com": { records: [alias("loopback.example.com.")] },
  "circle.example.com": { records: [alias("round.example.com.")] },
  "round.example.com": { records: [alias("circle.example.com.")] },
  "nowhere.example.com": { status: 3 },
  "empty.example.com": {},

  "failing.example.com": { status: 2 },
  "truncated.example.com": { records: open, truncated: true },
  "half.example.com": { records: [v4(publicV4)], odd: "status 500", oddType: AAAA },
  "text.example.com": { odd: "text" },
  "shapeless.example.com": { odd: "shapeless" },
  "huge.example.com": { records: open, odd: "huge" },
  "slow.example.com": { odd: "hold" },
  "stuck.example.com": { odd: "stuck" },
  "moved.example.com": { odd: "redirect" },
};

// A long chain of aliases, each resolved by a question of its own.
for (let at = 0; at < 20; at += 1) {
  zone[`chain${at}.example.com`] = { records: [alias(`chain${at + 1}.example.com.`)] };
}
