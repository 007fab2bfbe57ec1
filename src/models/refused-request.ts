// A model request that the runtime refuses before it sends anything, because it cannot be expressed. A retry does not help.

/** The refusal. Its message names what is wrong with the request. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";
}
