// The terminal of a command: questions to a person, with a visible or a hidden answer.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

import { CommandError, CommandInterrupted } from "./context.ts";

/** Asks a person. A command without a terminal asks nothing and names the flag that answers. */
export interface Terminal {
  /** Resolves with the line that the person enters. */
  ask: (question: string) => Promise<string>;
  /** Like `ask`; the answer is not shown. */
  askHidden: (question: string) => Promise<string>;
}

/** Whether an answer to a question is a yes. */
export const isYes = (answer: string): boolean => /^y(?:es)?$/i.test(answer);

/** The streams of a terminal. */
interface TerminalStreams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** The terminal of this process; undefined if its input or output is not a terminal, or in a build of a CI system. */
export function openTerminal(): Terminal | undefined {
  const { stdin, stdout, env } = process;
  return stdin.isTTY && stdout.isTTY && !env["CI"] ? terminalOn({ input: stdin, output: stdout }) : undefined;
}

/** A terminal on the given streams. */
export function terminalOn({ input, output }: TerminalStreams): Terminal {
  const ask = async (question: string, shown: NodeJS.WritableStream): Promise<string> => {
    const lines = createInterface({ input, output: shown, terminal: true });
    // Ctrl-C and the end of the input end the command.
    const ended = new Promise<never>((_, reject) => {
      lines.once("SIGINT", () => reject(new CommandInterrupted("SIGINT", "The command was interrupted.")));
      lines.once("close", () => reject(new CommandError("The input ended before the answer.")));
    });
    try {
      return (await Promise.race([lines.question(question), ended])).trim();
    } finally {
      lines.close();
    }
  };
  return {
    ask: (question) => ask(question, output),
    askHidden: async (question) => {
      output.write(question);
      // readline writes what a person types. A terminal in raw mode shows nothing by itself.
      const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
      const answer = await ask("", nothing);
      output.write("\n");
      return answer;
    },
  };
}
