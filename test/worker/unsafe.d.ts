// The runtime's own test hooks, which its published types leave out.
declare module "workerd:unsafe" {
  const unsafe: {
    /** Waits until the object is idle, then evicts it from memory. */
    evict(stub: DurableObjectStub, options: { webSockets: "hibernate" | "close" }): Promise<void>;
  };
  export default unsafe;
}
