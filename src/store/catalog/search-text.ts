// What `q` searches: title and last message in lower case. SQLite lowers ASCII only and its LIKE takes patterns of at most
// 50 bytes, so the text is lowered here, stored, and looked through with `instr`.

/** Longest part of a last message that is searched, in UTF-16 units: a row of a list is no place for a book. */
const searchedMessage = 2000;

/** The text of a search: the same lowering on both sides. */
export function loweredQuery(q: string): string {
  return q.toLowerCase();
}

/** The searched text of a thread. A line break keeps a match from spanning title and message. */
export function searchText(title: string | null, lastMessage: string | null): string {
  return `${title ?? ""}\n${(lastMessage ?? "").slice(0, searchedMessage)}`.toLowerCase().toWellFormed();
}
