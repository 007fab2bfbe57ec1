// The stored form of a projection. Indexes change when messages are deleted or no longer read, so the stored form has positions and ids
// of messages instead.

import { beginsWith } from "#lib/begins-with.ts";

import type { ModelMessage } from "../ports/model-port.ts";
import type { StoredProjection } from "../record/record.ts";
import type { Projection } from "./projection.ts";

/** A stored message, and its position in the conversation. */
interface PositionedRecord {
  id: string;
  position: string;
}

/** A stored projection, and its indexes in a list of messages. */
export interface IndexedProjection {
  stored: StoredProjection;
  messages: readonly ModelMessage[];
  projection: Projection;
  /** The stored form of that projection, once it was made. It may name other messages than `stored`, if some were deleted. */
  restored: StoredProjection | null;
}

/** The messages of a request with their positions, in order. */
export class PositionedMessages {
  readonly messages: readonly ModelMessage[];
  readonly #records: readonly PositionedRecord[];
  #known: readonly string[] | null = null;
  #last: IndexedProjection | null;

  /**
   * `records` are the stored messages. A message that is not stored gets a position directly after that of the previous message. `last` is
   * the projection that the previous step read.
   */
  constructor(
    messages: readonly ModelMessage[],
    records: readonly PositionedRecord[],
    last: IndexedProjection | null = null,
  ) {
    this.messages = messages;
    this.#records = records;
    this.#last = last;
  }

  /** The projection that was read last; null if none was. */
  get last(): IndexedProjection | null {
    return this.#last;
  }

  /** The projection for these messages. */
  read(stored: StoredProjection): Projection {
    const { messages } = this;
    const last = this.#continued(stored) ?? { stored, projection: this.#indexed(stored), restored: null };
    this.#last = { ...last, messages };
    return last.projection;
  }

  /** The projection that was read last, if its indexes are the same for these messages: messages at the end change no index before them. */
  #continued(stored: StoredProjection): IndexedProjection | null {
    if (this.#last?.stored !== stored) return null;
    const { messages, projection } = this.#last;
    const { dropped, essence, shortened, cut, files } = projection;
    const isWithin = Math.max(dropped, essence, shortened, cut?.before ?? 0, files) < messages.length;
    return isWithin && beginsWith(this.messages, messages) ? this.#last : null;
  }

  #indexed(stored: StoredProjection): Projection {
    const { head, pinned, cut, lines, count, summary } = stored;
    // Each of these positions is usually at or after the one before it, and so is its index.
    const dropped = this.#indexOf(stored.dropped);
    const essence = this.#indexOf(stored.essence, { position: stored.dropped, index: dropped });
    const shortened = this.#indexOf(stored.shortened, { position: stored.essence, index: essence });
    const missing = new Set(pinned === null ? head : [...head, pinned]);
    const indexes = new Map<string, number>();
    for (let at = 0; at < this.messages.length && missing.size > 0; at += 1) {
      const id = this.messages[at]?.id ?? null;
      if (id !== null && missing.delete(id)) indexes.set(id, at);
    }
    const before = (id: string) => {
      const at = indexes.get(id);
      return at === undefined || at >= dropped ? [] : [at];
    };
    return {
      head: head.flatMap(before),
      pinned: pinned === null ? null : (before(pinned)[0] ?? null),
      dropped,
      essence,
      shortened,
      lines,
      cut: cut === null ? null : { before: this.#indexOf(cut.before), tokens: cut.tokens },
      files: this.#indexOf(stored.files),
      count,
      summary,
    };
  }

  /** The stored form of a projection for these messages. */
  store(projection: Projection): StoredProjection {
    if (projection !== this.#last?.projection) return this.#stored(projection);
    this.#last.restored ??= this.#stored(projection);
    return this.#last.restored;
  }

  #stored(projection: Projection): StoredProjection {
    const { head, pinned, dropped, essence, shortened, lines, cut, files, count, summary } = projection;
    return {
      head: head.flatMap((at) => this.messages[at]?.id ?? []),
      pinned: pinned === null ? null : (this.messages[pinned]?.id ?? null),
      dropped: this.#positionAt(dropped),
      essence: this.#positionAt(essence),
      shortened: this.#positionAt(shortened),
      lines,
      cut: cut === null ? null : { before: this.#positionAt(cut.before), tokens: cut.tokens },
      files: this.#positionAt(files),
      count,
      summary,
    };
  }

  /** The positions of all messages. They are needed for stored projections only, so they are made when they are first read. */
  get #positions(): readonly string[] {
    this.#known ??= positionsOf(this.messages, this.#records);
    return this.#known;
  }

  /** The position of the first stored message at or after an index. */
  #positionAt(index: number): string {
    let stored = index;
    while (this.messages[stored]?.id === null) stored += 1;
    return this.#positions[stored] ?? after(this.#positions.at(-1) ?? "");
  }

  /**
   * Index of the first message at or after a position; the number of messages if there is none. `known` is another position with its index.
   */
  #indexOf(position: string, known = { position: "", index: 0 }): number {
    const positions = this.#positions;
    let index = position >= known.position ? known.index : 0;
    while (index < positions.length && (positions[index] ?? "") < position) index += 1;
    return index;
  }
}

function positionsOf(messages: readonly ModelMessage[], records: readonly PositionedRecord[]): string[] {
  const positions: string[] = [];
  let last = "";
  let at = 0;
  let byId: ReadonlyMap<string, string> | null = null;
  for (const { id } of messages) {
    // The messages are in the order of the records, unless a hook changed the order.
    while (id !== null && byId === null && records[at]?.id !== id) {
      at += 1;
      if (at >= records.length) byId = new Map(records.map((record) => [record.id, record.position]));
    }
    const found = id === null ? undefined : byId === null ? records[at]?.position : byId.get(id);
    last = found ?? after(last);
    positions.push(last);
  }
  return positions;
}

/** A position directly after another one. `~` sorts after every character of a position. */
function after(position: string): string {
  return `${position}~`;
}
