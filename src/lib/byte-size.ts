// Formats a number of bytes for people.

/** `999 bytes`, `1.5 KB`, `20 MB`: in powers of a thousand, with at most three digits. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["KB", "MB", "GB"];
  let size = bytes / 1000;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 99.95 ? Number(size.toFixed(1)) : Math.round(size)} ${units[unit] ?? ""}`;
}
