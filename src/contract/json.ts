// JSON values as they travel on the wire and rest in rows.

import { z } from "zod";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Schema of any JSON value. */
export const jsonSchema: z.ZodType<Json> = z.json() as z.ZodType<Json>;

/** Schema of a JSON object whose values are any JSON. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonSchema) as z.ZodType<JsonObject>;
