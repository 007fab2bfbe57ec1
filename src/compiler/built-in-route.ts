// The routes the runtime answers itself, relative to `/api`. A project's route of the same method and pattern wins;
// the built-in one stays reachable under `/api/~/`.

import { patternShape } from "./route-pattern.ts";

const builtInRoutes = `
GET /agents
GET /agents/:name
GET /prompts
GET /prompts/:name
GET /models
GET /models/:name
GET /tools
GET /tools/:name
GET /hooks
GET /routes
GET /openapi.json
POST /tickets
GET /usage
GET /threads
POST /threads
GET /threads/events
POST /threads/import
GET /threads/:id
PATCH /threads/:id
DELETE /threads/:id
GET /threads/:id/export
POST /threads/:id/fork
GET /threads/:id/messages
POST /threads/:id/messages
GET /threads/:id/messages/:mid
PATCH /threads/:id/messages/:mid
DELETE /threads/:id/messages/:mid
GET /threads/:id/runs
POST /threads/:id/runs
GET /threads/:id/runs/:rid
POST /threads/:id/stop
POST /threads/:id/tool-results
GET /threads/:id/queue
PATCH /threads/:id/queue/:qid
DELETE /threads/:id/queue/:qid
POST /threads/:id/tools/:name
GET /threads/:id/logs
GET /threads/:id/logs/:lid
GET /threads/:id/tree
POST /threads/:id/branches
POST /threads/:id/checkout
GET /threads/:id/files
PUT /threads/:id/files
DELETE /threads/:id/files
GET /threads/:id/files/*path
PUT /threads/:id/files/*path
DELETE /threads/:id/files/*path
GET /threads/:id/files-search
GET /threads/:id/files-stats
GET /threads/:id/events
GET /threads/:id/stream
POST /agent/execute
GET /agent/session/:id
POST /ai-sdk/threads/:id/chat
GET /ai-sdk/threads/:id/chat/:chat_id/stream
GET /ai-sdk/threads/:id/messages
`;

const builtInShapes = new Set(builtInRoutes.trim().split("\n").map(patternShape));

/** Whether the runtime has a route of this method and pattern. */
export function isBuiltInRoute(method: string, pattern: string): boolean {
  return builtInShapes.has(`${method} ${patternShape(pattern)}`);
}
