// Passes a program's output on line by line, without the lines that say nothing a developer needs. What is not known to
// be noise is shown: an error must never be swallowed.
const noise = [
  /^\s*$/,
  /^\s*⛅/u,
  /^─+$/u,
  /^(╭|│|╰)/u,
  /⎔/u,
  /Your Worker has access to the following bindings/,
  /^Binding\s+Resource\s+Mode/,
  /^env\.[A-Z_]+ /,
  /^The file (agents|dist\/ui)\b.* changed/,
  /^🪵/u,
  /Using (vars|secrets) defined in/,
  /^\[wrangler:info\] Ready on/,
  /✨ Parsed \d+ valid header rules?\./u,
  /^\[wrangler:info\] (GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /,
  /^\[custom build\] Running/,
  /Running custom build/,
  /^▲.*(update available|Unable to fetch the `Request\.cf` object)/u,
];

// eslint-style colour codes; matching them is the point.
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

/** @param {string} line */
export const isNoise = (line) => {
  const plain = line.replace(colours, "");
  return noise.some((pattern) => pattern.test(plain));
};

/**
 * @param {import("node:stream").Readable} from
 * @param {(text: string) => void} write
 */
export function passOnLines(from, write) {
  let pending = "";
  from.setEncoding("utf8");
  from.on("data", (chunk) => {
    const lines = (pending + chunk).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) if (!isNoise(line)) write(`${line}\n`);
  });
  from.on("end", () => {
    if (pending && !isNoise(pending)) write(`${pending}\n`);
  });
}
