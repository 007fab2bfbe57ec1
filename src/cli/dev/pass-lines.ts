// Passes a program's output on line by line, without lines that are of no use to a developer. Only known lines are removed, so that no
// error is lost.

import type { Readable } from "node:stream";

const noise = [
  /^\s*$/,
  /^\s*⛅/u,
  /^─+$/u,
  /^(╭|│|╰)/u,
  /⎔/u,
  /Your Worker has access to the following bindings/,
  /^Binding\s+Resource\s+Mode/,
  /^env\.[A-Z_]+ /,
  /^The file (agents|dist[\\/]ui|\.cache[\\/]types)\b.* changed/,
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

/**
 * What the runtime writes when a client closes its connection, for example when a person stops a request. No program failed. A failed request
 * of the Worker has another text and stays.
 */
const leftClient = [
  /(?<!\S)\S+\.(?:c\+\+|h|rs):\d+: (?:\w+: )*disconnected: .*\b(?:Broken pipe|Connection reset by peer|WebSocket peer disconnected|pump canceled|read end of pipe was aborted|abortRead\(\) has been called|end of WebSocketPipe was destroyed)\b/,
  // The addresses of the functions of the runtime, which name no place in the project.
  /^\s*(?:stack: )?(?:\S*\bworkerd(?:\.exe)?@[0-9a-f]+(?:\s+|$))+$/,
];

// Colour codes of a terminal. They begin with a control character, which a regular expression literal may not contain.
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

const customBuild = /^\[custom build\] /;

/** The maximum length of a line that is compared. A tool may write a line of any length. */
const longestNoise = 8192;

/** Whether a line of wrangler is of no use to a developer. */
export const isNoise = (line: string): boolean => {
  if (line.length > longestNoise) return false;
  const plain = line.replace(colours, "");
  return [...noise, ...leftClient].some((pattern) => pattern.test(plain));
};

/** The compiler's messages of success. The command `dev` has printed one before the server starts, so these are repetitions. */
const compiled = /^(\[custom build\] )?(compiled \d+ definitions |The definitions have not changed since )/;

/** Which lines are passed on. */
interface PassOptions {
  /** Whether the server is still starting. */
  starting?: () => boolean;
  /** The lines that are not passed on. */
  noise?: (line: string) => boolean;
}

/** Calls `write` with each line of a stream that is no noise. */
export function passLines(
  from: Readable,
  write: (line: string) => void,
  { starting = () => false, noise: isHidden = isNoise }: PassOptions = {},
): void {
  let pending = "";
  const pass = (line: string): void => {
    const repeated = starting() && compiled.test(line.replace(colours, ""));
    if (!isHidden(line) && !repeated) write(line.replace(customBuild, ""));
  };
  from.setEncoding("utf8");
  from.on("data", (chunk: string) => {
    const lines = (pending + chunk).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) pass(line);
  });
  from.on("end", () => {
    if (pending) pass(pending);
  });
}
