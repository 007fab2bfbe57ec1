// The families of models at Bedrock whose requests differ. A model is known by its id, by that of an inference profile, or by an ARN with
// one of these ids; the ARN of an application inference profile has none.

/** Families with rules of their own. `other` are all other models, and ARNs without a model's id. */
export type ModelFamily = "claude" | "nova" | "gpt-oss" | "mistral" | "other";

const families: readonly (readonly [RegExp, ModelFamily])[] = [
  [/\banthropic\.claude/, "claude"],
  [/\bamazon\.nova/, "nova"],
  [/\bopenai\.gpt-oss/, "gpt-oss"],
  [/\bmistral\./, "mistral"],
];

/** The family of a model. */
export function familyOf(model: string): ModelFamily {
  return families.find(([id]) => id.test(model))?.[1] ?? "other";
}
