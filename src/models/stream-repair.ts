// The interface of the repairs of streams, one for each protocol, and the data of events that belong to no answer: keep-alives.

/** Repairs the events of one stream, in order. Invariant: an event that follows the protocol passes unchanged. */
export interface StreamRepair {
  /** Repairs the data of one event. Returns the data of the events to pass on: none, one or several. */
  take: (data: string) => string[];
  /** Returns the data of the events that a complete answer lacks at the end of its body. Absent: none. */
  end?: () => string[];
}

/** The repair of a protocol whose events need none. */
export const noRepair: StreamRepair = { take: (data) => [data] };

// Words with which servers keep a connection open, and JSON without content.
const keepAlive =
  /^\s*(?:\[?(?:ping|pong|keep[-_ ]?alive|heart[-_ ]?beat|processing)\]?|\{\s*\}|\[\s*\]|null|"")?\s*$/i;

/** The longest data that is tested for a keep-alive. */
const longestKeepAlive = 40;

/** Whether the data of an event is no piece of an answer: empty, a word that keeps the connection open, or JSON without content. */
export function isKeepAlive(data: string): boolean {
  return data.length <= longestKeepAlive && keepAlive.test(data);
}
