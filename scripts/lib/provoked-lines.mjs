// Recognises messages of the runtime about faults that tests cause on purpose.

/** An object that was ended by a test, and a peer that disconnected. */
const provoked = [
  /^(uncaught exception; )?exception = .*\bbroken\.outputGateBroken; jsg\.Error: planned death\b/,
  /^exception = \S+: disconnected: /,
];

/**
 * A function that is called with the lines of the runtime in order. It returns true for lines that a test caused, and for the stack
 * after each.
 *
 * @returns {(line: string) => boolean}
 */
export function provokedLines() {
  let above = false;
  return (line) => {
    above = provoked.some((pattern) => pattern.test(line)) || (above && line.startsWith("stack: "));
    return above;
  };
}
