// Writes `Content-Disposition` (RFC 6266) with a file name that says the same to every reader and can end no header: plain
// ASCII in quotes, and beside it the real name percent-encoded (RFC 8187) where the two differ.

/** The header's value. */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, "_");
  const extended = plain === name ? "" : `; filename*=UTF-8''${encoded(name.toWellFormed())}`;
  return `${kind}; filename="${plain}"${extended}`;
}

/** `encodeURIComponent` leaves four characters that RFC 8187 does not allow. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
