// A small seeded generator (mulberry32), so that a failure can be repeated from the printed seed.

/**
 * Numbers in [0, 1), the same for the same seed.
 * @param {number} seed
 * @returns {() => number}
 */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Cuts bytes into pieces at random offsets, which fall inside characters, lines and JSON alike.
 * @param {Uint8Array} bytes
 * @param {() => number} random
 * @returns {Uint8Array[]}
 */
export function cutAtRandom(bytes, random) {
  const pieces = [];
  const longest = 1 + Math.floor(random() * 200);
  for (let start = 0; start < bytes.length;) {
    const end = Math.min(bytes.length, start + 1 + Math.floor(random() * longest));
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces;
}
