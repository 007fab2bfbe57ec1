// The version of the package, the same as in `package.json`.

export const packageVersion = "0.1.0";
