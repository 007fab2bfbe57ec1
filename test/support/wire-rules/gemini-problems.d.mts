/**
 * The problems for which Gemini would refuse a schema. At the place "parameters" it is the schema of a function. Gateways receive JSON
 * Schema, whose type "null" they convert.
 */
export declare function geminiProblems(schema: unknown, place?: string, isForGateway?: boolean): string[];
