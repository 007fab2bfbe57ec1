// The work of one check of a value by a JSON Schema, counted in comparisons. Both the schema and the value may come from outside, and a
// Worker's clock does not advance while it computes, so work is limited by counting. The same check always costs the same.

/** The bounds of a check. */
export interface SchemaBounds {
  /**
   * The maximum number of comparisons. A comparison is a schema with a value, a keyword with a value, a name, a member of a list, or 64
   * characters of a text.
   */
  comparisons: number;
  /** The maximum number of schemas that are being applied inside one another, references and inner values included. */
  depth: number;
}

/** The bounds that apply everywhere, except in tests. */
export const schemaBounds: SchemaBounds = { comparisons: 500_000, depth: 600 };

/** The number of characters that count as one comparison. */
const charactersEach = 64;

/** A check that needs more work than its bounds allow. */
export class SchemaBoundError extends Error {
  override readonly name = "SchemaBoundError";
  readonly bound: keyof SchemaBounds;

  constructor(bound: keyof SchemaBounds) {
    super(bound);
    this.bound = bound;
  }
}

/** Counts the comparisons and the depth of one check. */
export class SchemaWork {
  readonly #bounds: SchemaBounds;
  #comparisons = 0;
  #depth = 0;

  constructor(bounds: SchemaBounds) {
    this.#bounds = bounds;
  }

  /** The comparisons so far. */
  get comparisons(): number {
    return this.#comparisons;
  }

  /** Counts comparisons before they are made. Throws a `SchemaBoundError` if they are too many. */
  spend(comparisons: number): void {
    this.#comparisons += comparisons;
    if (this.#comparisons > this.#bounds.comparisons) throw new SchemaBoundError("comparisons");
  }

  /** Counts the reading of a text. */
  spendText(characters: number): void {
    if (characters >= charactersEach) this.spend(Math.floor(characters / charactersEach));
  }

  /** Enters a schema. `leave` has to follow, unless an error ends the check. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > this.#bounds.depth) throw new SchemaBoundError("depth");
    this.spend(1);
  }

  leave(): void {
    this.#depth -= 1;
  }
}
