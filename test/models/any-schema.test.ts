// Random JSON Schemas of every draft as the arguments of a tool: what each wire is sent, read from the requests.

import fc from "fast-check";
import { expect, it } from "vitest";

import { clientSchema } from "#flow/setup/client-schema.ts";

import { allowedValues, fits } from "../support/wire-rules/allowed-values.ts";
import { argumentSchemas, argumentValues, drafts, valueFor } from "../support/wire-rules/any-schema.ts";
import { schemaProblems, schemaWires } from "../support/wire-rules/schema-problems.mjs";
import { sentParameters, unrestoredNames, withSentNames } from "./sent-parameters.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

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
          const given = samples.map((value) => withSentNames(wire, read.parameters, value));
          const forbidden = given.filter((value) => fits(allowedValues(wire, sent), "2020-12", value) !== true);
          expect(forbidden, `${wire}: ${JSON.stringify(sent)}`).toEqual([]);
          const written = valueFor(sent, sent, pick);
          expect(unrestoredNames(wire, read.parameters, written), `${wire}: ${JSON.stringify(written)}`).toEqual([]);
        }
      },
    );
    await fc.assert(property, { numRuns: 120, seed });
    expect(valid).toBeGreaterThan(100);
  },
);
