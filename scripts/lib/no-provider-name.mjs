// Lint rule: outside of `src/models/provider/` no code compares a provider with a name, switches over one, or keeps a table by
// provider. What differs between providers is a member of `ProviderProfile`, so that a new provider is one file.

const message =
  "What differs between providers is a member of ProviderProfile: add it there and ask the profile (src/models/provider/).";

/** Whether an expression is a provider: a variable named `provider` or `…Provider`, or a property named `provider`. */
function isProvider(node) {
  const inner = node.type === "ChainExpression" ? node.expression : node;
  if (inner.type === "Identifier") return /^provider$|Provider$/.test(inner.name);
  if (inner.type !== "MemberExpression") return false;
  const { property } = inner;
  return (property.type === "Literal" ? property.value : property.name) === "provider";
}

const isName = (node) => node.type === "Literal" && typeof node.value === "string";

/** Whether a type is a `Record<…>` or `Map<…>` whose key is a type with a name that ends with `Provider`. */
function isTableByProvider({ typeName, typeArguments }) {
  if (!["Record", "Map", "ReadonlyMap"].includes(typeName.name)) return false;
  const key = typeArguments?.params[0];
  return key?.type === "TSTypeReference" && (key.typeName.name ?? "").endsWith("Provider");
}

export const noProviderName = {
  meta: { type: "problem" },
  create(context) {
    return {
      BinaryExpression(node) {
        if (!["===", "!==", "==", "!="].includes(node.operator)) return;
        const { left, right } = node;
        if ((isProvider(left) && isName(right)) || (isName(left) && isProvider(right))) {
          context.report({ node, message });
        }
      },
      SwitchStatement(node) {
        if (isProvider(node.discriminant)) context.report({ node, message });
      },
      TSTypeReference(node) {
        if (isTableByProvider(node)) context.report({ node, message });
      },
    };
  },
};
