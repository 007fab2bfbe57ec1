// Which keys and tokens can be sent. Platforms differ for other characters: some refuse the header with their own text, and workerd prints it.

/** Whether a key or a token has visible ASCII characters and spaces alone, as those of all providers have. */
export function fitsHeader(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value);
}
