/** The credentials with which tests sign requests. */
export declare const credentials: Readonly<
  Record<"AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" | "AWS_SESSION_TOKEN", string>
>;

/** A frame with these headers and this payload. */
export declare function frame(headers: Record<string, string>, payload: string): Uint8Array;

/** The frames of the events of a text. */
export declare function framesOfEvents(text: string): Uint8Array;
