// Formats durations for people.

/** A duration as text: `<1 ms`, `152 ms`, `1.52 s`, `12.3 s`, `2 m 05 s`, `3 h 12 m`. */
export function duration(ms: number): string {
  if (ms > 0 && ms < 1) return "<1 ms";
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
  return `${Math.round(minutes / 1440)} d`;
}

/** A time mark of an axis, as short as possible. */
export function mark(ms: number): string {
  if (ms === 0) return "0";
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(2))} s`;
  if (ms < 3_600_000) return `${Number((ms / 60_000).toFixed(1))} m`;
  return `${Number((ms / 3_600_000).toFixed(1))} h`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
