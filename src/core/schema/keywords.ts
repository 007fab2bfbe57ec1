// The keywords of JSON Schema that make a statement about values, in one list.

import { arrayKeywords } from "./array-keywords.ts";
import { logicKeywords } from "./logic-keywords.ts";
import { objectKeywords } from "./object-keywords.ts";
import type { KnownKeyword } from "./schema-check.ts";
import { valueKeywords } from "./value-keywords.ts";

/** The draft that began each keyword that older drafts do not have. */
const beginnings: Record<string, number> = {
  const: 6,
  contains: 6,
  propertyNames: 6,
  if: 7,
  dependentRequired: 2019,
  dependentSchemas: 2019,
  unevaluatedProperties: 2019,
  unevaluatedItems: 2019,
  $recursiveRef: 2019,
  prefixItems: 2020,
  $dynamicRef: 2020,
};

/** All keywords, in the order in which they are checked: those that cost least first, and those about the rest of a value last. */
export const keywords: readonly KnownKeyword[] = [
  valueKeywords,
  logicKeywords.references,
  objectKeywords.plain,
  arrayKeywords.plain,
  logicKeywords.combined,
  objectKeywords.rest,
  arrayKeywords.rest,
].flatMap((table) => Object.entries(table).map(([name, add]) => ({ name, add, since: beginnings[name] ?? 0 })));
