// The command `diff` with a limit. The time of the shell's `diff` grows with the square of the number of different lines, so texts with too
// many differences are refused before the comparison.

import { diffArrays } from "diff";
import { defineCommand } from "just-bash/browser";

/** The maximum number of lines that are added and removed between two texts. */
const mostDifferences = 1500;

/** The shell's `diff`, for texts with at most `mostDifferences` different lines. */
export const limitedDiff = defineCommand("diff", async (args, context) => {
  const files = args.filter((each) => each === "-" || !each.startsWith("-"));
  const texts: string[] = [];
  for (const file of files) {
    const path = context.fs.resolvePath(context.cwd, file);
    // The shell represents the bytes of its input as a text with one character for each byte. The shell's `diff` reports a missing file.
    const input = context.stdin as unknown as string;
    const text = file === "-" ? input : await context.fs.readFile(path, "binary").catch(() => "");
    texts.push(text);
  }
  const [first = "", second = ""] = texts;
  if (diffArrays(first.split("\n"), second.split("\n"), { maxEditLength: mostDifferences }) === undefined) {
    const stderr = `diff: the files have more than ${mostDifferences} different lines, which is the limit of this shell\n`;
    return { stdout: "", stderr, exitCode: 2 };
  }
  return (await context.origCommand?.(args)) ?? { stdout: "", stderr: "diff: command not found\n", exitCode: 127 };
});
