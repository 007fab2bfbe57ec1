// The methods about authorizations: the store of a thread without an owner, and the notification that the owner has connected to a server.

import { refuse } from "#contract/error.ts";

import { grantAuthorization } from "../owner-authorizations.ts";
import type { MethodGroup } from "./method-call.ts";

export const authorizationMethods: MethodGroup<"authorization" | "authorized"> = {
  authorization({ thread }, call) {
    const { callOwn } = thread().authorizations;
    if (callOwn === null) throw refuse("conflict", "The authorizations of this thread are those of its user.");
    return callOwn(call);
  },
  async authorized({ thread }, server) {
    const { live, wakeups } = thread();
    grantAuthorization(live, server);
    await wakeups.updateCatalog();
    return null;
  },
};
