// The catalog in memory, the counterpart of the one on D1, for tests of the layers above it. One suite runs over both.

import type { Thread } from "#contract/thread.ts";
import type { UsageDimension } from "#contract/usage-route.ts";
import { addCost, addUsage } from "#contract/usage.ts";
import { creationKept, removalKept, sinceOf } from "#store/catalog/catalog.ts";
import type {
  Catalog,
  CatalogEntry,
  CreationRequest,
  Removal,
  Reservation,
  ThreadListQuery,
} from "#store/catalog/catalog.ts";
import { dayOf, zeroSums, tooManyLines } from "#store/catalog/run-total.ts";
import type { RunTotal, UsageQuery, UsageRow, UsageSums, UsageTotals } from "#store/catalog/run-total.ts";
import { loweredQuery, searchText } from "#store/catalog/search-text.ts";
import { decodeCursor, listKind, threadPage } from "#store/catalog/thread-page.ts";
import { decodeBody, encodeBody } from "#store/row-body.ts";

function matches({ thread, lastMessage }: CatalogEntry, query: ThreadListQuery): boolean {
  const { userId, agentId, status, waiting, tag, q, parentId } = query;
  return (
    (thread.parent?.thread_id ?? undefined) === parentId &&
    (userId === null || thread.user_id === userId) &&
    (agentId === undefined || thread.agent_id === agentId || thread.origin_agent_id === agentId) &&
    (status === undefined || thread.status === status) &&
    (waiting !== true || thread.pending_tool_calls.length > 0) &&
    (tag === undefined || thread.tags.includes(tag)) &&
    (q === undefined || searchText(thread.title, lastMessage).includes(loweredQuery(q)))
  );
}

function newestFirst(left: Thread, right: Thread): number {
  if (left.id === right.id) return right.updated_at - left.updated_at;
  return right.updated_at - left.updated_at || (left.id < right.id ? 1 : -1);
}

function dimensionOf(total: RunTotal, dimension: UsageDimension): string | null {
  switch (dimension) {
    case "day":
      return dayOf(total.ended_at);
    case "agent":
      return total.agent_id;
    case "model":
      return total.model;
    case "user":
      return total.user_id;
  }
}

interface Counted {
  by: UsageRow["by"];
  runs: Set<string>;
  sums: UsageSums;
}

function count(into: Counted, { run_id, usage, cost }: RunTotal): void {
  into.runs.add(run_id);
  into.sums = {
    ...addUsage(into.sums, usage),
    runs: into.runs.size,
    cost: addCost(into.sums.cost, cost),
    known_cost: into.sums.known_cost + (cost ?? 0),
  };
}

class MemoryCatalog implements Catalog {
  readonly #entries = new Map<string, CatalogEntry>();
  readonly #removals = new Map<string, Removal>();
  readonly #totals = new Map<string, RunTotal>();
  readonly #creations = new Map<string, CreationRequest>();

  async put(entry: CatalogEntry): Promise<void> {
    const copy = { ...entry, thread: decodeBody<Thread>(encodeBody("thread", entry.thread)) };
    const { id } = entry.thread;
    const since = sinceOf(entry);
    const removal = this.#removals.get(id);
    if (removal !== undefined && removal.createdAt >= since) return;
    const there = this.#entries.get(id);
    const older = there !== undefined && (since - sinceOf(there) || entry.version - there.version) < 0;
    if (!older) this.#entries.set(id, copy);
  }

  async addRunTotals(totals: readonly RunTotal[]): Promise<void> {
    for (const total of totals) {
      const key = JSON.stringify([dayOf(total.ended_at), total.run_id, total.model]);
      if (!this.#totals.has(key)) this.#totals.set(key, structuredClone(total));
    }
  }

  async flush(entry: CatalogEntry, totals: readonly RunTotal[]): Promise<void> {
    await this.put(entry);
    await this.addRunTotals(totals);
  }

  async remove(removal: Removal): Promise<void> {
    const { threadId, createdAt, now } = removal;
    const entry = this.#entries.get(threadId);
    if (entry !== undefined && sinceOf(entry) <= createdAt) this.#entries.delete(threadId);
    const before = this.#removals.get(threadId)?.createdAt ?? createdAt;
    this.#removals.set(threadId, { ...removal, createdAt: Math.max(before, createdAt) });
    for (const [id, old] of this.#removals) if (old.now <= now - removalKept) this.#removals.delete(id);
  }

  async get(threadId: string): Promise<Thread | null> {
    return structuredClone(this.#entries.get(threadId)?.thread ?? null);
  }

  async list(query: ThreadListQuery) {
    const place = query.cursor === undefined ? null : decodeCursor(listKind(query), query.cursor);
    const inOrder = (left: Thread, right: Thread) =>
      query.order === "oldest" ? newestFirst(right, left) : newestFirst(left, right);
    const found = [...this.#entries.values()]
      .filter((entry) => matches(entry, query))
      .map((entry) => structuredClone(entry.thread))
      .sort(inOrder);
    const from = place === null ? 0 : found.findIndex((thread) => inOrder(asThread(thread, place), thread) < 0);
    return threadPage(query, from < 0 ? [] : found.slice(from));
  }

  async usage({ from, to, by, userId, limit }: UsageQuery): Promise<UsageTotals> {
    const lines = new Map<string, Counted>();
    const whole: Counted = { by: {}, runs: new Set(), sums: zeroSums };
    for (const total of this.#totals.values()) {
      const day = dayOf(total.ended_at);
      if (day < from || day > to || (userId !== null && total.user_id !== userId)) continue;
      const key = Object.fromEntries(by.map((dimension) => [dimension, dimensionOf(total, dimension)]));
      const name = JSON.stringify(key);
      const line = lines.get(name) ?? { by: key, runs: new Set(), sums: zeroSums };
      lines.set(name, line);
      count(line, total);
      count(whole, total);
    }
    if (lines.size > limit) throw tooManyLines(limit);
    // SQLite orders null before every text.
    const order = (row: UsageRow) => by.map((dimension) => row.by[dimension] ?? "").join("\0");
    const rows = Array.from(lines.values(), (line): UsageRow => ({ by: line.by, ...line.sums }));
    return { lines: rows.sort((left, right) => (order(left) < order(right) ? -1 : 1)), total: whole.sums };
  }

  async reserveCreation({ owner, key, fingerprint, threadId, now }: CreationRequest): Promise<Reservation> {
    const name = JSON.stringify([owner, key]);
    const there = this.#creations.get(name);
    const paused = there !== undefined && there.now > now - creationKept;
    const holder = paused ? there : { owner, key, fingerprint, threadId, now };
    this.#creations.set(name, holder);
    const removal = this.#removals.get(holder.threadId);
    const removed = removal !== undefined && removal.now >= holder.now;
    return { threadId: holder.threadId, fingerprint: holder.fingerprint, removed };
  }

  async isReserved({ owner, key, now }: Pick<CreationRequest, "owner" | "key" | "now">): Promise<boolean> {
    const paused = this.#creations.get(JSON.stringify([owner, key]));
    return paused !== undefined && paused.now > now - creationKept;
  }
}

/** A thread at the position of a cursor. */
function asThread(thread: Thread, place: { updatedAt: number; id: string }): Thread {
  return { ...thread, updated_at: place.updatedAt, id: place.id };
}

/** An empty catalog. */
export function createMemoryCatalog(): Catalog {
  return new MemoryCatalog();
}
