// Joins the messages of the nodes of a tree. A node may have the whole conversation or only its own messages.

import type { AnyMessage } from "../upp/upp-message.ts";

/** The messages of a node's ancestors and its own. Adding takes time in proportion to the added messages. */
export class JoinedMessages {
  readonly messages: AnyMessage[] = [];
  /** The index of each message in `messages`. */
  readonly #indexes = new Map<string, number>();
  #last: readonly AnyMessage[] = [];

  /** Adds the messages of the next node. If they repeat an earlier message, they replace the messages from this one on. */
  add(added: readonly AnyMessage[]): void {
    if (added.length === 0) return;
    const known = added.flatMap(({ id }) => this.#indexes.get(id) ?? []);
    const from = known.reduce((least, index) => Math.min(least, index), this.messages.length);
    for (const { id } of this.messages.splice(from)) this.#indexes.delete(id);
    for (const message of added) {
      this.#indexes.set(message.id, this.messages.length);
      this.messages.push(message);
    }
    this.#last = added;
  }

  /** Whether the joined list has only these messages, which are those of the node that was added last. */
  isOnly(messages: readonly AnyMessage[]): boolean {
    return this.messages.length === messages.length && (this.#last === messages || messages.length === 0);
  }
}
