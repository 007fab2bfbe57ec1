// The stub of modules that exist only inside Workers (`cloudflare:*`). Any name can be imported from it, called, constructed and
// extended. The compiler only loads definitions, so none of it has to work.

/** CommonJS source of the stub: any property, at any depth, is the stub again. */
export const runtimeStubSource = `
const hidden = new Set(["then", "toJSON", "__esModule"]);
const stub = new Proxy(class {}, {
  get(target, key) {
    if (key === "prototype") return target.prototype;
    if (key === Symbol.toPrimitive) return () => "";
    return typeof key === "symbol" || hidden.has(key) ? undefined : stub;
  },
  has: () => true,
  apply: () => stub,
  getPrototypeOf: () => stub,
});
module.exports = stub;
`;
