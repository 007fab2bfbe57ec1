// Compares a run with one subscriber to the same run with many. Each round measures both directly after each other, so
// that other load on the machine slows both alike.

/** One run in milliseconds: its own recorded duration, and the time until the last subscriber had its last event. */
export interface Timed {
  run: number;
  received: number;
}

/** The two measurements of a round. */
export interface Round {
  one: Timed;
  many: Timed;
}

/** Fewer rounds than this give no reliable ratio. */
const fewest = 5;

/** Runs as many rounds as fit into `seconds`, at most `most`. The two runs of a round take turns at being first. */
export async function rounds(
  { most, seconds }: { most: number; seconds: number },
  { one, many }: Record<keyof Round, () => Promise<Timed>>,
): Promise<Round[]> {
  const done: Round[] = [];
  const end = performance.now() + seconds * 1000;
  while (done.length < most && (done.length < fewest || performance.now() < end)) {
    if (done.length % 2 === 0) {
      const first = await one();
      done.push({ one: first, many: await many() });
    } else {
      const first = await many();
      done.push({ many: first, one: await one() });
    }
  }
  return done;
}

/** The value that the given share of the values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** How many times longer the run with many subscribers took: the median of the rounds' ratios. */
export function ratioOf(done: readonly Round[]): number {
  return quantile(
    done.map(({ one, many }) => many.run / one.run),
    0.5,
  );
}

/** A line for the log. */
export function describeRounds(done: readonly Round[], subscribers: number): string {
  const ratios = done.map(({ one, many }) => many.run / one.run);
  const of = (who: keyof Round, what: keyof Timed) =>
    `${quantile(
      done.map((round) => round[who][what]),
      0.5,
    ).toFixed(0)} ms`;
  const quarters = `quarters ${quantile(ratios, 0.25).toFixed(2)} and ${quantile(ratios, 0.75).toFixed(2)}`;
  return (
    `${String(done.length)} rounds: ratio ${ratioOf(done).toFixed(2)} (${quarters}); ` +
    `median run ${of("one", "run")} with 1 subscriber, ${of("many", "run")} with ${String(subscribers)}; ` +
    `the last reader received the end after ${of("one", "received")} and ${of("many", "received")}`
  );
}
