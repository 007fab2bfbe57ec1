// Keeps the Workers pool of vitest from growing slower with each object. It wraps the prototype of an object's class in one
// more proxy for every instance it makes (`createProxyPrototypeClass`), and each look at a method walks them all: after 150
// deaths a test's objects cost ten times what they did. All of these proxies do the same, so the first one is kept.

const ofPrototypes = new WeakSet();

const isPrototypeHandler = (handler: ProxyHandler<object>): boolean =>
  String(Reflect.get(handler, "get")).includes("getUnknownPrototypeKey");

// Once a Worker, whose files come one after the other.
const done = Symbol.for("one proxy");

if (!(done in globalThis)) {
  Object.defineProperty(globalThis, done, { value: true });
  globalThis.Proxy = new Proxy(Proxy, {
    construct(target, [wrapped, handler]: [object, ProxyHandler<object>]): object {
      if (!isPrototypeHandler(handler)) return Reflect.construct(target, [wrapped, handler]) as object;
      if (ofPrototypes.has(wrapped)) return wrapped;
      const made = Reflect.construct(target, [wrapped, handler]) as object;
      ofPrototypes.add(made);
      return made;
    },
  });
}
