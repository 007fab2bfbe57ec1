// The fields of a provider that a project defines, checked at run time like those of every definition.

import { z } from "zod";

import type { ProviderDefinition } from "#spec/define-provider.ts";

const name = z.string().min(1);
const callable = z.instanceof(Function);

/** The name of an environment variable. */
export const variableName = z
  .string()
  .regex(
    /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]*$/,
    "Invalid value: it is the name of an environment variable, such as TEAM_API_KEY",
  );

/** The fields of a provider. */
export const providerFields = {
  name,
  variables: z
    .array(variableName)
    .refine((names) => new Set(names).size === names.length, "Invalid value: each variable is named once")
    .optional(),
  files: z
    .array(z.string().regex(/^[a-z]+\/(?:\*|[\w.+-]+)$/, "Invalid value: a media type, such as audio/*"))
    .optional(),
  model: callable.optional(),
  optionsName: name.optional(),
  options: callable.optional(),
  stream: callable.optional(),
} satisfies Record<keyof ProviderDefinition, z.ZodType>;

/** The shape of a provider: one of `model` and `stream`. */
export const provider = z.strictObject(providerFields).superRefine((definition, context) => {
  const refuse = (field: string, reason: string): void =>
    context.addIssue({ code: "custom", path: [field], message: `Invalid value: ${reason}` });
  if (definition.model === undefined && definition.stream === undefined)
    refuse(
      "model",
      "a provider has model, for models of the AI SDK, or stream, a function that yields the parts of an answer",
    );
  if (definition.stream === undefined) return;
  for (const field of ["model", "options", "optionsName"] as const)
    if (definition[field] !== undefined) refuse(field, "a provider with stream has none; leave out one of them");
});
