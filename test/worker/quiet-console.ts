// Objects may still write log lines when the last test of a file has ended. A line that is on its way to the runner while the runner closes
// fails the whole run, so nothing is printed between the tests of two files.

const levels = ["debug", "error", "info", "log", "warn"] as const;
const printing = levels.map((level) => console[level]);

/** Drops all lines. */
export function quietConsole(): void {
  for (const level of levels) console[level] = () => {};
}

/** Prints lines again. */
export function loudConsole(): void {
  for (const [index, level] of levels.entries()) console[level] = printing[index] ?? console[level];
}
