// POST /api/threads/:id/notes {note}: acts in a thread from outside, as a webhook would. The queued call starts a run if the thread
// is idle, and joins the current run otherwise.

import { defineThreadEndpoint } from "threadhold";
import { z } from "zod";

const bodySchema = z.object({ note: z.string().min(1).max(500) });

export default defineThreadEndpoint(async (request, state) => {
  const body = bodySchema.safeParse(await request.json().catch(() => null));
  if (!body.success) return Response.json({ error: z.prettifyError(body.error) }, { status: 400 });
  state.queueTool("remember", { note: body.data.note });
  return Response.json({ queued: "remember" }, { status: 202 });
});
