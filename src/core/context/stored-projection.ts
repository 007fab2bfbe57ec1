// The stored form of a projection. Indexes change when messages are deleted or no longer read, so the stored form has positions and ids
// of messages instead.

import type { ModelMessage } from "../ports/model-port.ts";
import type { Projection } from "./projection.ts";

/** A projection with positions in place of indexes. */
export interface StoredProjection {
  /** Ids of the messages at the beginning that are sent although later ones are dropped, and of the pinned user message. */
  head: string[];
  pinned: string | null;
  /**
   * The position of the first message that is not dropped. The other positions correspond to the indexes of `Projection` in the same way.
   */
  dropped: string;
  essence: string;
  shortened: string;
  lines: number;
  cut: { before: string; tokens: number } | null;
  files: string;
  count: number;
  summary: string | null;
}

/** The messages of a request with their positions, in order. */
export class PositionedMessages {
  readonly messages: readonly ModelMessage[];
  readonly #positions: string[] = [];

  /** `positionOf` returns the position of a stored message. A message that is not stored comes directly after the one before it. */
  constructor(messages: readonly ModelMessage[], positionOf: (id: string) => string | undefined) {
    this.messages = messages;
    let last = "";
    for (const { id } of messages) {
      last = (id === null ? undefined : positionOf(id)) ?? after(last);
      this.#positions.push(last);
    }
  }

  /** The projection for these messages. */
  read(stored: StoredProjection): Projection {
    const { head, pinned, cut, lines, count, summary } = stored;
    const dropped = this.#indexOf(stored.dropped);
    const wanted = new Set(pinned === null ? head : [...head, pinned]);
    const indexes = new Map<string, number>();
    for (const [at, { id }] of this.messages.entries()) if (id !== null && wanted.has(id)) indexes.set(id, at);
    const before = (id: string) => {
      const at = indexes.get(id);
      return at === undefined || at >= dropped ? [] : [at];
    };
    return {
      head: head.flatMap(before),
      pinned: pinned === null ? null : (before(pinned)[0] ?? null),
      dropped,
      essence: this.#indexOf(stored.essence),
      shortened: this.#indexOf(stored.shortened),
      lines,
      cut: cut === null ? null : { before: this.#indexOf(cut.before), tokens: cut.tokens },
      files: this.#indexOf(stored.files),
      count,
      summary,
    };
  }

  /** The stored form of a projection for these messages. */
  store({
    head,
    pinned,
    dropped,
    essence,
    shortened,
    lines,
    cut,
    files,
    count,
    summary,
  }: Projection): StoredProjection {
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

  /** The position of the first stored message at or after an index. */
  #positionAt(index: number): string {
    let stored = index;
    while (this.messages[stored]?.id === null) stored += 1;
    return this.#positions[stored] ?? after(this.#positions.at(-1) ?? "");
  }

  /** Index of the first message at or after a position; the number of messages if there is none. */
  #indexOf(position: string): number {
    const index = this.#positions.findIndex((at) => at >= position);
    return index === -1 ? this.#positions.length : index;
  }
}

/** A position directly after another one. `~` sorts after every character of a position. */
function after(position: string): string {
  return `${position}~`;
}
