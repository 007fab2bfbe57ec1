// The bounds of what one answer may consist of. Providers' packages and the repairs of streams handle all elements of an event in one piece,
// in which no other thread of the isolate is served, and some of them search a list for each element.

/** The maximum number of calls or parts of one event. */
export const mostInEvent = 1000;

/**
 * The maximum number of items of an answer, and of parts of an item. It is one more than the calls of an answer (`core/model/answer.ts`), so
 * that an answer with more calls ends like one at its token limit.
 */
export const mostInAnswer = 2001;

/** The maximum number of items of an answer that are open at the same time. */
export const mostOpenItems = 500;

/** The maximum number of items that begin without an event. One event may begin all of them. */
export const mostUnseenItems = 250;

/** An answer has more elements than are read. The answer ends with this error. */
export class TooManyElements extends Error {}

/** Throws if there are more elements than are read. `what` names them: "an event with too many calls". */
export function assertFew(count: number, what: string, most = mostInEvent): void {
  if (count > most) throw new TooManyElements(`The server sent ${what}: ${count}. At most ${most} are read.`);
}
