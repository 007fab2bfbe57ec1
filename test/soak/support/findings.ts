// The violations that the suite found, by the rule that they violate. None is thrown where it is found, so that one run
// shows all of them.

/** The list of violations, and the current life of the server. */
export class Findings {
  life = 0;
  readonly #found: { rule: string; text: string }[] = [];

  add(rule: string, text: string): void {
    const line = `life ${String(this.life)}: ${text}`;
    this.#found.push({ rule, text: line });
    console.log(`  ${rule} BROKEN  ${line}`);
  }

  of(rule: string): string[] {
    return this.#found.filter((one) => one.rule === rule).map(({ text }) => text);
  }

  get count(): number {
    return this.#found.length;
  }
}
