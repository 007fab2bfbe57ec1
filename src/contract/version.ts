// The version of the package, as `package.json` has it.

/** The version. */
export const packageVersion = "0.1.0";
