// The bounds of what an MCP server sends: one message, one stream of events, and all pages of one list together. The SDK checks each value
// of a message with several schemas, so the values are counted before it parses a message.

import type { EventBounds } from "#lib/untrusted/bounded-events.ts";
import { type JsonBounds, JsonMeter } from "#lib/untrusted/bounded-json.ts";
import type { TextMeter } from "#lib/untrusted/bounded-response.ts";

/** The maximum number of bytes of a response, after decompression, and of all pages of a list. */
export const responseBytes = 8 * 1024 * 1024;

/** Bounds of a message, and of all pages of a list together. */
const messageBounds: JsonBounds = { values: 100_000, depth: 64, keys: 50_000 };

/** Bounds of a stream of events. A session ends after 20,000 messages. */
export const streamBounds: EventBounds = {
  units: responseBytes,
  lines: 10_000,
  allLines: 200_000,
  events: 25_000,
  json: messageBounds,
};

/** Pages of a list that exceed a bound together. */
class ListBoundError extends Error {}

/** The part of a request that shows to which list its response belongs. */
export interface SentMessage {
  id?: unknown;
  method?: unknown;
  params?: { cursor?: unknown; [key: string]: unknown } | undefined;
}

/** A meter that also counts its values. */
interface ValueMeter extends TextMeter {
  readonly values: number;
}

/** What the pages of a list may still contain. */
interface Remaining {
  units: number;
  values: number;
}

/** The list that a session requests page by page. Its pages share the bounds of one response. */
export class ListPages {
  /** What the current list may still contain. Requests between its pages do not change it. */
  #list: Remaining | null = null;
  /** The last request was one for a page. */
  #isListing = false;

  /** Notes a message that is sent. Returns whether it requests a page of a list. */
  sent({ id, method, params }: SentMessage): boolean {
    if (id === undefined || method === undefined) return false;
    this.#isListing = method === "tools/list";
    const isFirst = this.#list === null || params?.cursor === undefined;
    if (this.#isListing && isFirst) this.#list = { units: responseBytes, values: messageBounds.values };
    return this.#isListing;
  }

  /**
   * A meter that also counts for the current list. `isList`: whether the response is a page of it; undefined for a stream with the responses
   * to several requests, whose pieces count if the last request was one for a page.
   */
  counting(meter: ValueMeter, isList?: boolean): TextMeter {
    return {
      read: (piece) => {
        const before = meter.values;
        meter.read(piece);
        if (this.#list !== null && (isList ?? this.#isListing)) count(this.#list, piece.length, meter.values - before);
      },
    };
  }

  /** The meter of one message. */
  messageMeter(isList?: boolean): TextMeter {
    return this.counting(new JsonMeter(messageBounds), isList);
  }
}

function count(list: Remaining, units: number, values: number): void {
  list.units -= units;
  list.values -= values;
  if (list.units < 0) throw new ListBoundError(`has more than ${responseBytes} characters in the pages of one list`);
  if (list.values < 0)
    throw new ListBoundError(`has more than ${messageBounds.values} values in the pages of one list`);
}
