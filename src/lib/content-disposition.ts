// Writes `Content-Disposition` (RFC 6266) for a file name that may have any characters: as quoted ASCII, and also percent-encoded (RFC
// 8187) if the quoted form differs from the name. No character of a name can end the quoted text or the header.

/** The header's value. */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, "_");
  const extended = plain === name ? "" : `; filename*=UTF-8''${encoded(name.toWellFormed())}`;
  return `${kind}; filename="${plain}"${extended}`;
}

/** Percent-encodes a name, with the four characters that `encodeURIComponent` leaves and RFC 8187 does not allow. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
