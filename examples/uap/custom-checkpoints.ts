// The program of UAP-1.0 §12.4.6: a checkpoint store over a key-value database.

import { agent, AgentState } from "threadhold/agents";
import type { AgentStateJSON, CheckpointStore } from "threadhold/agents";

import { anthropic } from "./stand-ins.ts";

/** The functions of a Redis client that the store calls. */
interface RedisClient {
  set(key: string, value: string): Promise<unknown>;
  get(key: string): Promise<string | null>;
  del(key: string): Promise<unknown>;
  keys(pattern: string): Promise<string[]>;
}

/** A stand-in for a Redis client: it keeps the values in memory. */
function memoryClient(): RedisClient {
  const values = new Map<string, string>();
  return {
    set: async (key, value) => values.set(key, value),
    get: async (key) => values.get(key) ?? null,
    del: async (key) => values.delete(key),
    keys: async () => [...values.keys()],
  };
}

// Redis checkpoint store
const redisCheckpoints = (client: RedisClient): CheckpointStore => ({
  save: async (sessionId, state) => {
    await client.set(`checkpoint:${sessionId}`, JSON.stringify(state));
  },
  load: async (sessionId) => {
    const data = await client.get(`checkpoint:${sessionId}`);
    return data ? (JSON.parse(data) as AgentStateJSON) : null;
  },
  delete: async (sessionId) => {
    await client.del(`checkpoint:${sessionId}`);
  },
  list: async () => {
    const keys = await client.keys("checkpoint:*");
    return keys.map((k) => k.replace("checkpoint:", ""));
  },
});

export async function customStore(): Promise<unknown> {
  const store = redisCheckpoints(memoryClient());

  // Usage
  const coder = agent({
    model: anthropic("claude-sonnet-5-5"),
    checkpoints: store,
    sessionId: "user-123-task-456",
  });

  const { state } = await coder.generate("Hello", AgentState.initial());
  const saved = await store.load("user-123-task-456");
  return [await store.list(), saved?.messages.length === state.messages.length, state.metadata["sessionId"]];
}
