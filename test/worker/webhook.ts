// The webhook of the test Worker: none, until a test sets its variables.

import { webhookSettings } from "#lib/webhook-settings.ts";
import type { WebhookSettings } from "#lib/webhook-settings.ts";

/** The variables for threads that are loaded from now on. */
export const webhookVariables: { current: Record<string, string> } = { current: {} };

/** The webhook for a thread that is loaded now. */
export function testWebhook(): WebhookSettings | null {
  return webhookSettings(webhookVariables.current, {
    isLocal: true,
    onInvalid: (name) => {
      throw new Error(`${name} is invalid`);
    },
  });
}
