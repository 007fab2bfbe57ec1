// GET /api/threads/:id/summary: a thread endpoint, called with the thread's state.

import { defineThreadEndpoint } from "threadhold";

export default defineThreadEndpoint(async (_request, state) => {
  const { messages, total } = await state.getMessages({ limit: 1, order: "desc" });
  const { fileCount, totalSize } = await state.getFileStats();
  return Response.json({
    thread_id: state.threadId,
    agent: state.agentId,
    messages: total,
    last: messages[0]?.content ?? null,
    files: fileCount,
    bytes: totalSize,
  });
});
