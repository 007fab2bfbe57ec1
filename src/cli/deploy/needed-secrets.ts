// The secrets that a Worker needs: keys of its models, access of its users, and the keys that sign tickets and encrypt tokens.

import { bindingOf, keyVariable, missingNames, providerFile } from "#models/readiness.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { CommandError } from "../context.ts";

/** A secret that the Worker does not have yet. */
export interface NeededSecret {
  /** The variable that is asked for. */
  name: string;
  /** Whether another variable serves the same purpose. */
  isServedBy: (name: string) => boolean;
  /** What needs it, for the question and the error. */
  purpose: string;
  /** Whether a random value is suitable. */
  generated: boolean;
}

/** The known facts about a Worker before its deploy. */
export interface SecretsContext {
  models: readonly AnyModelDefinition[];
  /** Whether an MCP server of the project uses OAuth. */
  usesOAuth: boolean;
  /** Names of secrets and variables that the Worker has, or gets from the configuration. */
  present: ReadonlySet<string>;
  /** The bindings of the configuration that models use. Absent: none. */
  bound?: Readonly<Record<string, unknown>>;
  /** Whether the main module is generated. A main module of the project's own may identify callers itself. */
  generatedMain: boolean;
  /** Names to leave out. */
  without: readonly string[];
}

/** Variables that identify callers. If none of them is set, every request is refused. */
const access = ["API_TOKENS", "JWT_SECRET", "JWKS_URL"];

const encryptionKey = "ENCRYPTION_KEY";

/** The secrets that are missing, each once. */
export function neededSecrets({
  models,
  usesOAuth,
  present,
  bound = {},
  generatedMain,
  without,
}: SecretsContext): NeededSecret[] {
  const values = { ...Object.fromEntries([...present].map((name) => [name, "set"])), ...bound };
  const needed = new Map<string, NeededSecret>();
  for (const model of models) {
    // A binding is a line of the configuration and no secret.
    for (const missing of bindingOf(model) === null ? missingNames(model, values) : []) {
      const earlier = needed.get(missing);
      needed.set(missing, {
        name: missing,
        isServedBy: (name) => isServed(model, values, { missing, name }),
        purpose: earlier === undefined ? purposeOf(missing, model) : `${earlier.purpose}, ${model.name}`,
        generated: false,
      });
    }
  }
  if (generatedMain && !access.some((name) => present.has(name))) {
    const purpose = "the bearer tokens of the API, without which every request is refused";
    const isServedBy = (name: string): boolean => access.includes(name);
    needed.set("API_TOKENS", { name: "API_TOKENS", isServedBy, purpose, generated: false });
  }
  if (!present.has("TICKET_SECRET")) {
    const purpose = "the key that signs tickets of browsers";
    const isServedBy = (name: string): boolean => name === "TICKET_SECRET";
    needed.set("TICKET_SECRET", { name: "TICKET_SECRET", isServedBy, purpose, generated: true });
  }
  if (usesOAuth && !present.has(encryptionKey)) {
    const purpose = "the key that encrypts tokens for MCP servers";
    const isServedBy = (name: string): boolean => name === encryptionKey;
    needed.set(encryptionKey, { name: encryptionKey, isServedBy, purpose, generated: true });
  }
  return [...needed.values()].filter((secret) => !without.some((name) => isFor(secret, name)));
}

/** Whether a variable serves in place of a missing one: afterwards the model lacks only what it lacked before. */
function isServed(
  model: AnyModelDefinition,
  values: object,
  { missing, name }: { missing: string; name: string },
): boolean {
  const before = missingNames(model, { ...values });
  const after = missingNames(model, { ...values, [name]: "set" });
  return !after.includes(missing) && after.every((other) => before.includes(other));
}

function purposeOf(name: string, model: AnyModelDefinition): string {
  const file = providerFile(model);
  if (file !== undefined) return `a variable of ${file}, for the model ${model.name}`;
  return `${name === keyVariable(model) ? "the key" : "a setting"} of the model ${model.name}`;
}

const isFor = (secret: NeededSecret, name: string): boolean => secret.name === name || secret.isServedBy(name);

/** Refuses a name to leave out that no Worker with these definitions needs. */
export function assertKnownSecrets(
  without: readonly string[],
  definitions: Pick<SecretsContext, "models" | "usesOAuth">,
): void {
  const known = neededSecrets({ ...definitions, present: new Set(), generatedMain: true, without: [] });
  const unknown = without.find((name) => !known.some((secret) => isFor(secret, name)));
  if (unknown === undefined) return;
  const names = known.map(({ name }) => name).join(", ");
  throw new CommandError(`--without ${unknown} names no secret of this deploy. Its secrets are ${names}.`);
}
