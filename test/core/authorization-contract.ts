// What every store of authorizations guarantees. The suite runs over each implementation.

import { expect, it } from "vitest";

import type { AuthorizationStore } from "#core/ports/authorization-port.ts";

const second = 1_000_000;

/** A store with a clock that the test sets, in microseconds. */
export interface OpenedStore {
  store: AuthorizationStore;
  now: () => number;
  pass: (micros: number) => void;
}

const row = (revision: string, text = `text ${revision}`) => ({ revision, text });
const flow = (id: string, expires_at: number, server = "docs") => ({
  id,
  server,
  browser: `browser ${id}`,
  text: `flow ${id}`,
  expires_at,
});

/** Declares the tests. */
export function authorizationContract(name: string, open: () => OpenedStore | Promise<OpenedStore>): void {
  it(`OAUTH14 ${name} returns the stored text of a server, and replaces it only if the given revision is the current one`, async () => {
    const { store } = await open();
    expect(await store.read("docs")).toBeNull();
    expect(await store.replace("docs", "one", row("two"))).toBe(false);
    expect(await store.replace("docs", null, row("one"))).toBe(true);
    expect(await store.replace("docs", "other", row("two"))).toBe(false);
    expect(await store.replace("docs", "one", row("two"))).toBe(true);
    expect(await store.read("docs")).toEqual(row("two"));
    expect(await store.read("mail")).toBeNull();
    expect(await store.replace("docs", "one", null)).toBe(false);
    expect(await store.replace("docs", "two", null)).toBe(true);
    expect(await store.read("docs")).toBeNull();
  });

  it(`OAUTH14 ${name} grants the lease for a token refresh to one holder at a time, until the row changes or the lease is released or expires`, async () => {
    const { store, pass } = await open();
    expect(await store.lease("docs", "one", "a")).toBe("changed");
    await store.replace("docs", null, row("one"));
    expect(await store.lease("docs", "other", "a")).toBe("changed");
    expect(await store.lease("docs", "one", "a")).toBe("granted");
    expect(await store.lease("docs", "one", "b")).toBe("busy");
    expect(await store.lease("docs", "one", "a")).toBe("granted");
    await store.release("docs", "b");
    expect(await store.lease("docs", "one", "b")).toBe("busy");
    await store.release("docs", "a");
    expect(await store.lease("docs", "one", "b")).toBe("granted");
    pass(31 * second);
    expect(await store.lease("docs", "one", "a")).toBe("granted");
    await store.replace("docs", "one", row("two"));
    expect(await store.lease("docs", "one", "b")).toBe("changed");
    expect(await store.lease("docs", "two", "b")).toBe("granted");
    expect(await store.read("docs")).toEqual(row("two"));
  });

  it(`OAUTH14 ${name} finishes an authorization flow only once, only for the browser that began it, and only before it expires`, async () => {
    const { store, now, pass } = await open();
    await store.begin(flow("one", now() + 10 * second));
    await store.begin(flow("two", now() + 10 * second));
    expect(await store.finish("one", "browser two")).toBeNull();
    expect(await store.finish("none", "browser none")).toBeNull();
    expect(await store.finish("one", "browser one")).toBe("flow one");
    expect(await store.finish("one", "browser one")).toBeNull();
    pass(10 * second);
    expect(await store.finish("two", "browser two")).toBeNull();
  });

  it(`OAUTH17 ${name} completes a used authorization flow only if it was not deleted meanwhile, and a repeated call changes nothing`, async () => {
    const { store, now } = await open();
    for (const id of ["one", "two"]) {
      await store.begin(flow(id, now() + 10 * second));
      await store.finish(id, `browser ${id}`);
    }
    expect(await store.complete("docs", "one", row("first"))).toBe(true);
    expect(await store.complete("docs", "one", row("first"))).toBe(true);
    await store.replace("docs", "first", row("refreshed"));
    expect(await store.complete("docs", "one", row("first"))).toBe(true);
    expect(await store.read("docs")).toEqual(row("refreshed"));
    expect(await store.complete("docs", "none", row("second"))).toBe(false);
    await store.begin(flow("unused", now() + 10 * second));
    expect(await store.complete("docs", "unused", row("second"))).toBe(false);
    expect(await store.read("docs")).toEqual(row("refreshed"));
    expect(await store.finish("one", "browser one")).toBeNull();
    await store.replace("docs", null, null);
    expect(await store.complete("docs", "two", row("third"))).toBe(false);
    expect(await store.read("docs")).toBeNull();
  });

  it(`OAUTH17 ${name} deletes the authorization flows of a server with its tokens, and those of no other server`, async () => {
    const { store, now } = await open();
    await store.begin(flow("one", now() + 10 * second));
    await store.begin(flow("two", now() + 10 * second, "other"));
    expect(await store.replace("docs", "no revision", null)).toBe(false);
    await store.replace("docs", null, { revision: "r", text: "t" });
    await store.replace("docs", "r", null);
    await store.replace("other", null, { revision: "r", text: "t" });
    await store.replace("docs", null, null);
    expect(await store.finish("one", "browser one")).toBeNull();
    expect(await store.finish("two", "browser two")).toBe("flow two");
  });

  it(`OAUTH17 ${name} deletes every row and authorization flow of a name, also those of single addresses, and nothing of other names`, async () => {
    const { store, now } = await open();
    const servers = ["docs", "docs/1a2b", "docs-2", "doc"];
    for (const server of servers) {
      await store.replace(server, null, row(server));
      await store.begin(flow(server, now() + 10 * second, server));
    }
    expect(await store.forget("docs")).toBe(true);
    for (const server of servers) {
      const isKept = server === "docs-2" || server === "doc";
      expect(await store.read(server), server).toEqual(isKept ? row(server) : null);
      expect(await store.finish(server, `browser ${server}`), server).toBe(isKept ? `flow ${server}` : null);
    }
    expect(await store.forget("docs")).toBe(false);
  });

  it(`OAUTH14 ${name} keeps the last ten authorization flows of an owner`, async () => {
    const { store, now } = await open();
    for (let count = 0; count < 12; count += 1) await store.begin(flow(`v${count}`, now() + (100 + count) * second));
    const ends = await Promise.all([0, 1, 2, 11].map((count) => store.finish(`v${count}`, `browser v${count}`)));
    expect(ends).toEqual([null, null, "flow v2", "flow v11"]);
  });
}
