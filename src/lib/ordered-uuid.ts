// Creates strictly increasing UUIDv7s: also within a millisecond, when the clock goes back, and after a restart if the last one is
// known.

import { v7 } from "uuid";

const lastSequence = 0xffff_ffff;

/** The number of random bytes of a UUID, and the number of UUIDs whose random bytes are requested at once. */
const [idBytes, idsAtOnce] = [16, 64];

/** The random bytes of the next UUIDs. They are requested when the first one is made: a Worker has none in its global scope. */
let random = new Uint8Array();

/** Returns the random bytes of a UUID. A request for the bytes of many UUIDs takes hardly longer than a request for one. */
function randomBytes(): Uint8Array {
  if (random.length === 0) random = crypto.getRandomValues(new Uint8Array(idBytes * idsAtOnce));
  const bytes = random.subarray(0, idBytes);
  random = random.subarray(idBytes);
  return bytes;
}

/** Creates increasing UUIDv7s. */
export class OrderedUuids {
  readonly #now: () => number;
  #msecs = 0;
  #sequence = 0;

  /** `now` returns milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Ensures that every later UUID is greater than `uuid`. */
  continueAfter(uuid: string): void {
    const msecs = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
    if (Number.isSafeInteger(msecs) && msecs >= this.#msecs) {
      this.#msecs = msecs + 1;
      this.#sequence = 0;
    }
  }

  next(): string {
    const now = this.#now();
    if (now > this.#msecs) {
      this.#msecs = now;
      this.#sequence = 0;
    } else if (this.#sequence < lastSequence) {
      this.#sequence += 1;
    } else {
      this.#msecs += 1;
      this.#sequence = 0;
    }
    return v7({ msecs: this.#msecs, seq: this.#sequence, random: randomBytes() });
  }
}
