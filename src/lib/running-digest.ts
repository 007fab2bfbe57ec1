// SHA-256 of bytes that arrive in pieces and are never in memory as a whole.

/** A digest that is not complete yet. */
export class RunningDigest {
  readonly #stream = new crypto.DigestStream("SHA-256");
  readonly #writer = this.#stream.getWriter();

  /** Adds bytes. The caller may reuse the buffer when the promise resolves. */
  async add(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes);
  }

  /** The digest of all bytes in hexadecimal digits. Nothing may be added afterwards. */
  async hex(): Promise<string> {
    await this.#writer.close();
    return Array.from(new Uint8Array(await this.#stream.digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}
