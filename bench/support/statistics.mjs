// The summary of many measurements: their median, and how far they spread.

const fixed = (value) => Number(value.toFixed(2));

/** @param {readonly number[]} values @param {number} share from 0 to 1 */
function at(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

/** @param {readonly number[]} values */
export const median = (values) => fixed(at(values, 0.5));

/** The 10th and the 90th percentile. @param {readonly number[]} values */
export const spread = (values) => `${fixed(at(values, 0.1))}–${fixed(at(values, 0.9))}`;

/** @param {number} one @param {number} other */
export const ratio = (one, other) => fixed(one / other);
