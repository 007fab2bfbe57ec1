// How values of this entry are printed: without keys.

/** The property with which Node prints a value. */
export const inspectSymbol: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;
