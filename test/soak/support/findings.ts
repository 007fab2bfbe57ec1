// What the suite found wrong, by the rule it breaks. Nothing is thrown where it is found, so that one run shows everything.

/** The list, and the life it is in. */
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
