// The text that `q` searches: title and last message in lower case. SQLite converts only ASCII to lower case, and its LIKE limits
// patterns to 50 bytes. So the text is converted here, stored, and searched with `instr`.

/** Searched length of the last message in UTF-16 units, which limits the size of a row. */
const searchedMessage = 2000;

/** Converts a query in the same way as the stored text. */
export function loweredQuery(q: string): string {
  return q.toLowerCase();
}

/** The searched text of a thread. The line break keeps a match from spanning title and message. */
export function searchText(title: string | null, lastMessage: string | null): string {
  return `${title ?? ""}\n${(lastMessage ?? "").slice(0, searchedMessage)}`.toLowerCase().toWellFormed();
}
