// Random JSON Schemas of every draft as the arguments of a tool: what each wire is sent, read from the requests.

import { Validator, type Schema } from "@cfworker/json-schema";
import fc from "fast-check";
import { expect, it } from "vitest";

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { clientSchema } from "#flow/client-schema.ts";

import { argumentSchemas, argumentValues, drafts, valueFor, type Draft } from "../support/wire-rules/any-schema.ts";
import { geminiAsJsonSchema } from "../support/wire-rules/gemini-schema.ts";
import { schemaProblems, schemaWires, type SchemaWire } from "../support/wire-rules/schema-problems.ts";
import { sentParameters } from "./sent-parameters.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

/** Whether a value fits a schema; null if the validator cannot read the schema, for example because of an invalid pattern. */
function fits(schema: JsonObject, draft: Draft, value: Json): boolean | null {
  try {
    // The validator stores addresses in the schema.
    return new Validator(structuredClone(schema) as Schema, draft).validate(value).valid;
  } catch {
    return null;
  }
}

/** The values that a sent schema allows, in its keywords and in the words of its descriptions. */
function allowed(wire: SchemaWire, sent: JsonObject): JsonObject {
  if (wire === "google") return geminiAsJsonSchema(sent);
  return wire === "moonshot" ? (withLists(sent) as JsonObject) : sent;
}

function withLists(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withLists);
  if (!isJsonObject(schema)) return schema;
  const isInWords = schema["description"] === "Items may be lists too.";
  const entries = Object.entries(schema).map(([key, value]) => [key, withLists(value)] as const);
  return isInWords ? {} : Object.fromEntries(entries);
}

it.for(drafts)(
  "Every wire is sent a schema that it does not refuse, and that forbids no valid arguments, for any schema of draft %s",
  async (draft) => {
    console.info(`any-schema seed ${seed}`);
    let valid = 0;
    const property = fc.asyncProperty(
      argumentSchemas(draft),
      fc.array(argumentValues, { minLength: 3, maxLength: 3 }),
      fc.infiniteStream(fc.nat()),
      async (schema, values, numbers) => {
        const pick = (below: number): number => Number(numbers.next().value) % below;
        const made = Array.from({ length: 3 }, () => valueFor(schema, schema, pick));
        const samples = [...values, ...made].filter((value) => fits(schema, draft, value) === true);
        valid += samples.length;
        const read = clientSchema(schema, { tolerant: true });
        if ("problem" in read) {
          expect([read.problem, samples]).toEqual(["accepts no arguments", []]);
          return;
        }
        for (const wire of schemaWires) {
          const sent = await sentParameters(wire, read.parameters);
          expect(schemaProblems(wire, sent), `${wire}: ${JSON.stringify(sent)}`).toEqual([]);
          const forbidden = samples.filter((value) => fits(allowed(wire, sent), "2020-12", value) !== true);
          expect(forbidden, `${wire}: ${JSON.stringify(sent)}`).toEqual([]);
        }
      },
    );
    await fc.assert(property, { numRuns: 120, seed });
    expect(valid).toBeGreaterThan(100);
  },
);
