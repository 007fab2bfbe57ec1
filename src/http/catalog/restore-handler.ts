// Restores a lost catalog (the deployment's index of all threads): asks each given object to write its rows again. An object that fails is
// reported, and the others continue.

import type { RestoredObject } from "#contract/catalog-route.ts";
import { ThreadholdError } from "#contract/error.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { withStub } from "../thread/call-thread.ts";

/** Objects that are asked at the same time. The platform permits six pending requests of a Worker. */
const atATime = 5;

export function catalogHandlers(services: Services): Pick<Handlers, "restoreCatalog"> {
  return {
    async restoreCatalog({ caller, body }) {
      const objects: RestoredObject[] = [];
      for (let from = 0; from < body.object_ids.length; from += atATime) {
        const some = body.object_ids.slice(from, from + atATime);
        objects.push(...(await Promise.all(some.map((id) => restored(services, caller, id)))));
      }
      return jsonAnswer({ objects });
    },
  };
}

async function restored({ dependencies, log }: Services, caller: Caller, object_id: string): Promise<RestoredObject> {
  const nothing = { object_id, thread_id: null, runs: 0, error: null };
  try {
    const { objects } = dependencies;
    const run = (stub: ReturnType<typeof objects>) => stub.call("relist", caller);
    const answer = await withStub(objects, { threadId: object_id, repeatable: true, run });
    if (answer.ok) return { object_id, ...answer.value, error: null };
    const { code, message } = answer.refusal;
    return code === "thread_not_found" ? nothing : { ...nothing, error: message };
  } catch (thrown) {
    if (thrown instanceof ThreadholdError) return { ...nothing, error: thrown.message };
    log("error", "not_relisted", { object_id, cause: String(thrown) });
    return { ...nothing, error: "The object could not be asked. The log says why." };
  }
}
