// Measures the processor time and the time on the wall of a function that is called several times.

/** The milliseconds of processor time that this process has used. */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * The milliseconds of one step.
 * @param {() => Promise<unknown>} ask
 * @param {{ calls: number, steps: number }} count how often `ask` is called, and the steps of each call
 * @returns {Promise<{ processor: number, wall: number }>}
 */
export async function timed(ask, { calls, steps }) {
  const [from, processor] = [performance.now(), processorTime()];
  for (let call = 0; call < calls; call += 1) await ask();
  const divided = calls * steps;
  return { processor: (processorTime() - processor) / divided, wall: (performance.now() - from) / divided };
}
