// Runs every program of UAP-1.0 in a Worker. The variable `ADDRESS` is the address of a server with the
// protocol of Anthropic's API.

import { everyExample, runExamples } from "./every-example.ts";
import { answerFrom } from "./stand-ins.ts";

export default {
  async fetch(request: Request, env: { ADDRESS: string }): Promise<Response> {
    if (new URL(request.url).pathname === "/healthz") return Response.json({ status: "ok", version: "1.0.0" });
    answerFrom(env.ADDRESS);
    return Response.json(await runExamples(everyExample));
  },
};
