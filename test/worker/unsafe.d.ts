// The runtime's own test hooks, which its published types leave out.
declare module "workerd:unsafe" {
  const unsafe: {
    /** Waits for what runs in the object, then takes it out of memory. */
    evict(stub: DurableObjectStub, options: { webSockets: "hibernate" | "close" }): Promise<void>;
  };
  export default unsafe;
}
