// Passes a program's output on line by line, without lines that are of no use to a developer. Only known lines are removed, so that no
// error is lost.
const noise = [
  /^\s*$/,
  /^\s*⛅/u,
  /^─+$/u,
  /^(╭|│|╰)/u,
  /⎔/u,
  /Your Worker has access to the following bindings/,
  /^Binding\s+Resource\s+Mode/,
  /^env\.[A-Z_]+ /,
  /^The file (agents|dist\/ui|\.cache\/types)\b.* changed/,
  /^🪵/u,
  /Using (vars|secrets) defined in/,
  /^\[wrangler:info\] Ready on/,
  /✨ Parsed \d+ valid header rules?\./u,
  /^\[wrangler:info\] (GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /,
  /^\[custom build\] Running/,
  /^\[custom build\]\s*$/,
  /Running custom build/,
  /^▲.*(update available|Unable to fetch the `Request\.cf` object)/u,
];

// eslint-style colour codes; matching them is the point.
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

const customBuild = /^\[custom build\] /;

/** @param {string} line */
export const isNoise = (line) => {
  const plain = line.replace(colours, "");
  return noise.some((pattern) => pattern.test(plain));
};

/**
 * Messages of the runtime about faults that tests cause on purpose: an object that was ended by a test, and a peer that disconnected.
 */
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

/** The compiler's messages of success. The dev command prints its own before the server starts. */
const compiled = /^(\[custom build\] )?(compiled \d+ definitions |The definitions have not changed since )/;

/**
 * @param {import("node:stream").Readable} from
 * @param {(line: string) => void} write
 * @param {{ starting?: () => boolean, noise?: (line: string) => boolean }} [options] whether the server is still starting; what is
 *   not passed on
 */
export function passOnLines(from, write, { starting = () => false, noise = isNoise } = {}) {
  let pending = "";
  const pass = (line) => {
    if (!noise(line) && !(starting() && compiled.test(line.replace(colours, "")))) write(line.replace(customBuild, ""));
  };
  from.setEncoding("utf8");
  from.on("data", (chunk) => {
    const lines = (pending + chunk).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) pass(line);
  });
  from.on("end", () => {
    if (pending) pass(pending);
  });
}
