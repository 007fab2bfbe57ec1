// The receiver's types, for tests written in TypeScript.

/** A running receiver. */
export interface WebhookReceiver {
  url: string;
  close: () => Promise<void>;
}

/** Starts a receiver on a free port of the loopback. */
export declare function startWebhookReceiver(): Promise<WebhookReceiver>;
