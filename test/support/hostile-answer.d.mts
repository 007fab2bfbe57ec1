// The types of the hostile answers, for tests written in TypeScript.

/** The answers that accept the request by their status, whatever follows. */
export declare const accepting: readonly string[];

/** The answers that do not accept it. */
export declare const refusing: readonly string[];
