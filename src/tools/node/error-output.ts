// The standard error of a program: its lines are logged, up to a number of lines, and its last lines are kept for an error message.

import type { Readable } from "node:stream";

import { outsideText } from "../outside-text.ts";

/** The maximum length of a line, the maximum number of lines that are logged, and the number of lines for an error message. */
const lineLimit = 500;
const mostLines = 200;
const lastLines = 5;

/** Reads an output to its end. Returns a function that returns the last lines. */
export function readErrorOutput(output: Readable, log: (line: string) => void): () => string {
  const last: string[] = [];
  const decoder = new TextDecoder();
  let rest = "";
  let count = 0;
  const take = (line: string) => {
    const text = outsideText(line, lineLimit);
    if (text.trim() === "") return;
    count += 1;
    last.push(text);
    if (last.length > lastLines) last.shift();
    if (count <= mostLines) log(text);
    else if (count === mostLines + 1) log("(Further lines are not logged.)");
  };
  output.on("data", (piece: Buffer) => {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    // A line without an end is cut, so that it does not fill the memory.
    rest = (lines.pop() ?? "").slice(0, lineLimit + 1);
    for (const line of lines) take(line);
  });
  output.on("end", () => take(rest));
  // The end of the program is reported by its session.
  output.on("error", () => undefined);
  return () => last.join("\n");
}
