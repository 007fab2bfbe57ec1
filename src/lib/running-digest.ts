// SHA-256 of bytes that come one after the other and are never together in memory.

/** A digest under way. */
export class RunningDigest {
  readonly #stream = new crypto.DigestStream("SHA-256");
  readonly #writer = this.#stream.getWriter();

  /** Takes bytes in. They are the caller's again when this resolves. */
  async add(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes);
  }

  /** The digest of everything, in hexadecimal digits. Nothing may be added after it. */
  async hex(): Promise<string> {
    await this.#writer.close();
    return Array.from(new Uint8Array(await this.#stream.digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}
