// The resolver over HTTPS with JSON, tested over real HTTP.

import { describe, expect, it } from "vitest";

import { ManualClock } from "../support/manual-clock.ts";
import { arrived, requested, closed, newId, resolverAt } from "./guard.ts";

const publicV4 = "93.184.215.14";
const publicV6 = "2606:2800:21f:cb07:6820:80da:af6b:8b2c";
const never = (): AbortSignal => new AbortController().signal;
const resolve = (name: string) => resolverAt().resolve(name, never());

/** The queries that reached the server, as `name type`. */
async function questions(id: string): Promise<string[]> {
  const received = await requested(id);
  return received.map(({ path }) => {
    const { searchParams } = new URL(path, "http://server");
    return `${searchParams.get("name")} ${searchParams.get("type")}`;
  });
}

describe("queries of the resolver", () => {
  it("OUT7 The resolver queries the IPv4 and the IPv6 addresses of a host name and returns both", async () => {
    const id = newId();
    const answer = await resolverAt(`/dns-query?id=${id}`).resolve("one.example.com", never());
    expect(answer).toEqual({ ok: true, addresses: [publicV4, publicV6] });
    expect((await questions(id)).toSorted()).toEqual(["one.example.com 1", "one.example.com 28"]);
    expect((await requested(id)).map(({ headers }) => headers["accept"])).toEqual([
      "application/dns-json",
      "application/dns-json",
    ]);
  });

  it.for([
    ["v6only.example.com", [publicV6]],
    ["alias.example.com", [publicV4, publicV6]],
    ["mixed.example.com", [publicV4, "192.168.0.9", publicV6]],
    ["inward.example.com", ["127.0.0.1"]],
    ["nowhere.example.com", []],
    ["empty.example.com", []],
  ] as const)("OUT7 The resolver finds the addresses of the host name %s: %j", async ([name, addresses]) => {
    expect(await resolve(name)).toEqual({ ok: true, addresses });
  });

  it("OUT7 The resolver queries an alias whose addresses the answer does not contain", async () => {
    const id = newId();
    await resolverAt(`/dns-query?id=${id}`).resolve("alias.example.com", never());
    const names = ["alias.example.com", "second.example.com", "two.example.com"];
    expect((await questions(id)).toSorted()).toEqual(names.flatMap((name) => [`${name} 1`, `${name} 28`]));
  });
});

describe("the resolver's cache", () => {
  it("OUT7 The resolver keeps an answer as long as its shortest-lived record", async () => {
    const id = newId();
    const clock = new ManualClock();
    const resolver = resolverAt(`/dns-query?id=${id}`, { clock });
    const first = await resolver.resolve("kept.example.com", never());
    await clock.advance(19_999);
    expect(await resolver.resolve("kept.example.com", never())).toEqual(first);
    expect(await questions(id)).toHaveLength(2);
    await clock.advance(1);
    expect(await resolver.resolve("kept.example.com", never())).toEqual(first);
    expect(await questions(id)).toHaveLength(4);
  });

  it("OUT7 The resolver keeps no answer for more than a minute, and none that forbids caching", async () => {
    const id = newId();
    const clock = new ManualClock();
    const resolver = resolverAt(`/dns-query?id=${id}`, { clock });
    await resolver.resolve("long.example.com", never());
    await clock.advance(60_000);
    await resolver.resolve("long.example.com", never());
    expect(await questions(id)).toHaveLength(4);
    await resolver.resolve("one.example.com", never());
    await resolver.resolve("one.example.com", never());
    expect(await questions(id)).toHaveLength(8);
  });

  it("OUT7 The resolver does not cache the information that a host name has no address", async () => {
    const id = newId();
    const resolver = resolverAt(`/dns-query?id=${id}`);
    await resolver.resolve("empty.example.com", never());
    await resolver.resolve("empty.example.com", never());
    expect(await questions(id)).toHaveLength(4);
  });
});

describe("failed lookups", () => {
  it.for([
    "failing.example.com",
    "truncated.example.com",
    "half.example.com",
    "text.example.com",
    "shapeless.example.com",
    "huge.example.com",
    "moved.example.com",
    "circle.example.com",
    "chain0.example.com",
  ])("OUT8 The host name %s cannot be resolved", async (name) => {
    expect(await resolve(name)).toEqual({ ok: false });
  });

  it("OUT7 The resolver follows at most eight aliases of a host name in a row", async () => {
    const id = newId();
    await resolverAt(`/dns-query?id=${id}`).resolve("chain0.example.com", never());
    const names = new Set((await questions(id)).map((question) => question.split(" ")[0]));
    expect(names.size).toBe(9);
  });

  it.for(["slow.example.com", "stuck.example.com"])(
    "OUT8 The lookup of the host name %s, which gets no complete response, fails after 5 s",
    async (name) => {
      const id = newId();
      const clock = new ManualClock();
      const answer = resolverAt(`/dns-query?id=${id}`, { clock }).resolve(name, never());
      await arrived(id);
      await clock.advance(4999);
      expect(clock.armed).toBeGreaterThan(0);
      await clock.advance(1);
      expect(await answer).toEqual({ ok: false });
      expect(await closed(id)).toEqual({ complete: false });
      expect(clock.armed).toBe(0);
    },
  );

  it("OUT8 If the request to the DNS server fails, the resolver reports that it could not resolve the name", async () => {
    const resolver = resolverAt("/dns-query", { fetch: () => Promise.reject(new Error("no network")) });
    expect(await resolver.resolve("one.example.com", never())).toEqual({ ok: false });
  });

  it("If the caller aborts the lookup of a host name, no query stays open", async () => {
    const id = newId();
    const control = new AbortController();
    const answer = resolverAt(`/dns-query?id=${id}`).resolve("slow.example.com", control.signal);
    await arrived(id);
    control.abort(new Error("enough"));
    expect(await answer).toEqual({ ok: false });
    expect(await closed(id)).toEqual({ complete: false });
  });
});
