// The messages that a loop sends (REQ-060, REQ-077, REQ-146): the budget, the stable beginning, a program's strategy, a refused request.

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import type { CompactionStrategy } from "#facade/phi/context/compaction-strategy.ts";
import { SentMessages } from "#facade/phi/context/sent-messages.ts";
import { totalTokens } from "#facade/phi/context/token-counter.ts";
import { LoopError } from "#facade/phi/loop-error.ts";
import type { AgentMessage } from "#facade/phi/loop-messages.ts";
import { extensionMessage } from "#facade/phi/loop-messages.ts";

import {
  assistant,
  call,
  conversation,
  lines,
  numbered,
  result,
  textOf,
  user,
} from "./support/conversation-messages.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

const budget = (tokens: number) => ({ max_context_tokens: tokens, system_prompt_tokens: 0 });

/** Messages of a user, 54 tokens each. */
const users = (count: number, from = 0) =>
  numbered(
    Array.from({ length: count }, (_, at) => user(`${from + at}`.padEnd(200, "x"))),
    from,
  );

const numbersOf = (messages: readonly AgentMessage[]) =>
  messages.map((message) => Number.parseInt(textOf(message), 10));

describe("without a configuration", () => {
  it("All messages are sent, also after a refusal", async () => {
    const context = { messages: users(3000) };
    const sent = new SentMessages();
    expect(await sent.next(context)).toEqual(context.messages);
    expect(await sent.next(context, { squeeze: 1 })).toEqual(context.messages);
  });
});

describe("within the budget", () => {
  it("All messages are sent at exactly the budget, and the list is a copy", async () => {
    const context = { messages: users(4) };
    const sent = await new SentMessages({ contextConfig: budget(216) }).next(context);
    expect(sent).toEqual(context.messages);
    sent.pop();
    expect(context.messages).toHaveLength(4);
  });

  it("A list of one token more than the budget is rewritten so that a quarter of the budget is free, and the context stays whole", async () => {
    const messages = users(30);
    const context = { messages: [...messages] };
    const options = { ...budget(30 * 54 - 1), keep_recent: 3, keep_first: 1 };
    const sent = await new SentMessages({ contextConfig: options }).next(context);
    expect(numbersOf(sent)).toEqual([0, Number.NaN, 27, 28, 29]);
    expect(context.messages).toEqual(messages);
  });

  it("The recent messages stay although less than a quarter is free, as long as they are within the budget", async () => {
    const contextConfig = { ...budget(600), keep_recent: 10, keep_first: 0 };
    expect(numbersOf(await new SentMessages({ contextConfig }).next({ messages: users(12) }))).toEqual([
      Number.NaN,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      9,
      10,
      11,
    ]);
    const less = await new SentMessages({ contextConfig: { ...contextConfig, ...budget(550) } }).next({
      messages: users(12),
    });
    expect(totalTokens(less)).toBeLessThanOrEqual((550 * 3) / 4);
  });
});

describe("the beginning of what is sent", () => {
  it("The beginning of any growing conversation stays equal in bytes between two rewrites, and no list exceeds the budget", async () => {
    let rewrites = 0;
    let extensions = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(conversation(2), { minLength: 4, maxLength: 25 }),
        fc.integer({ min: 300, max: 5000 }),
        fc.nat(6),
        async (growths, tokens, keep_recent) => {
          const context: { messages: AgentMessage[] } = { messages: [] };
          const sent = new SentMessages({ contextConfig: { ...budget(tokens), keep_recent } });
          let last: AgentMessage[] = [];
          for (const growth of growths) {
            const added = numbered(growth, context.messages.length);
            context.messages.push(...added);
            const extended = [...last, ...added];
            last = await sent.next(context);
            expect(totalTokens(last)).toBeLessThanOrEqual(tokens);
            if (totalTokens(extended) <= tokens) {
              extensions += 1;
              expect(JSON.stringify(last)).toBe(JSON.stringify(extended));
            } else rewrites += 1;
          }
        },
      ),
      { seed, numRuns: 300 },
    );
    expect(rewrites).toBeGreaterThan(300);
    expect(extensions).toBeGreaterThan(300);
  });

  it("A rewritten list is rewritten again only when the messages that were added have filled the free quarter", async () => {
    const context: { messages: AgentMessage[] } = { messages: [] };
    const sent = new SentMessages({ contextConfig: { ...budget(5400), keep_recent: 10 } });
    let rewrites = 0;
    let last: AgentMessage[] = [];
    for (let turn = 0; turn < 1000; turn += 1) {
      context.messages.push(...users(1, turn));
      const next = await sent.next(context);
      if (next.length <= last.length) rewrites += 1;
      last = next;
      expect(totalTokens(next)).toBeLessThanOrEqual(5400);
    }
    expect(context.messages).toHaveLength(1000);
    expect(numbersOf(last).slice(0, 2)).toEqual([0, 1]);
    // 100 messages fit, and 13 remain after a rewrite.
    expect(rewrites).toBe(Math.floor((1000 - 100) / 87) + 1);
  });

  it("A conversation that no longer begins with the rewritten messages is sent whole again if it fits", async () => {
    const context = { messages: users(30) };
    const sent = new SentMessages({ contextConfig: { ...budget(1000), keep_recent: 3 } });
    expect(await sent.next(context)).toHaveLength(6);
    context.messages.push(...users(1, 30));
    expect(await sent.next(context)).toHaveLength(7);
    // The last message is taken back: the rewrite still holds.
    context.messages.pop();
    expect(await sent.next(context)).toHaveLength(6);
    context.messages.splice(0, 29);
    expect(await sent.next(context)).toEqual(context.messages);
  });
});

describe("a newest message that is too large alone", () => {
  it("The text of a prompt is cut to the budget, and the context keeps it whole", async () => {
    const long = user(`Read this: ${lines(20_000)}`);
    const context = { messages: [long] };
    const [sent] = await new SentMessages({ contextConfig: budget(1000) }).next(context);
    expect(textOf(sent)).toMatch(/^Read this: line 1\n[^]*bytes, cut to fit the context[^]*line 20000$/);
    expect(context.messages).toEqual([long]);
  });

  it("A budget without place for the newest message is refused by its tokens", async () => {
    const sent = new SentMessages({ contextConfig: budget(5) });
    await expect(sent.next({ messages: [user("x".repeat(400))] })).rejects.toThrow(
      "does not fit into the 5 tokens that `contextConfig` has for messages",
    );
    await expect(sent.next({ messages: [extensionMessage("note", "x".repeat(400))] })).resolves.toEqual([]);
  });
});

describe("after a refusal of the model", () => {
  it("At most two thirds of the refused tokens are sent although the budget permits more, and later requests extend them", async () => {
    const context = { messages: users(30) };
    const sent = new SentMessages({ contextConfig: budget(100_000) });
    expect(await sent.next(context)).toHaveLength(30);
    const squeezed = await sent.next(context, { squeeze: 1 });
    expect(totalTokens(squeezed)).toBeLessThanOrEqual((30 * 54 * 2) / 3);
    context.messages.push(...users(1, 30));
    expect(await sent.next(context)).toEqual([...squeezed, ...context.messages.slice(-1)]);
  });

  it("Messages that hardly have tokens are sent unchanged, because the system prompt or the tools are too large", async () => {
    const sent = new SentMessages({ contextConfig: {} });
    for (const question of ["a short question of a user", "a word ".repeat(50)]) {
      const context = { messages: [user(question)] };
      expect(await sent.next(context, { squeeze: 1 })).toEqual(context.messages);
    }
  });

  it("The strategy of a program reads a lower budget", async () => {
    const compact = vi.fn<CompactionStrategy["compact"]>((messages) => messages);
    const sent = new SentMessages({
      contextConfig: { max_context_tokens: 9000, system_prompt_tokens: 500 },
      compactionStrategy: { compact },
    });
    await sent.next({ messages: users(30) }, { squeeze: 1 });
    await sent.next({ messages: users(30) });
    expect(compact.mock.calls.map(([, { max_context_tokens }]) => max_context_tokens)).toEqual([500 + 30 * 36, 9000]);
  });
});

describe("applyToContext", () => {
  it("The compacted messages replace those of the context, in its own list", async () => {
    const messages: AgentMessage[] = users(30);
    const context = { messages };
    const contextConfig = { ...budget(1000), keep_recent: 3, compaction: { applyToContext: true } };
    const sent = new SentMessages({ contextConfig });
    const first = await sent.next(context);
    expect(first).toHaveLength(6);
    expect(context.messages).toBe(messages);
    expect(messages).toEqual(first);
    messages.push(...users(1, 30));
    expect(await sent.next(context)).toEqual(messages);
    expect(messages).toHaveLength(7);
  });

  it("Messages that are added while a strategy works stay in the context", async () => {
    const context = { messages: users(3) };
    const strategy: CompactionStrategy = {
      async compact(messages) {
        context.messages.push(...users(1, 3));
        return messages.slice(-1);
      },
    };
    const contextConfig = { compaction: { applyToContext: true } };
    expect(numbersOf(await new SentMessages({ contextConfig, compactionStrategy: strategy }).next(context))).toEqual([
      2,
    ]);
    expect(numbersOf(context.messages)).toEqual([2, 3]);
  });
});

describe("the strategy of a program", () => {
  const sentBy = (compact: unknown) =>
    new SentMessages({ contextConfig: {}, compactionStrategy: { compact } as CompactionStrategy });

  it("A strategy is called before each request, with its last result and the messages that were added since", async () => {
    const received: number[][] = [];
    const sent = sentBy((messages: AgentMessage[]) => {
      received.push(numbersOf(messages));
      return messages.slice(-2);
    });
    const context = { messages: users(3) };
    expect(numbersOf(await sent.next(context))).toEqual([1, 2]);
    context.messages.push(...users(2, 3));
    expect(numbersOf(await sent.next(context))).toEqual([3, 4]);
    expect(received).toEqual([
      [0, 1, 2],
      [1, 2, 3, 4],
    ]);
    expect(context.messages).toHaveLength(5);
  });

  it("An empty list of a strategy sends no message", async () => {
    expect(await sentBy(() => []).next({ messages: users(3) })).toEqual([]);
  });

  it("A strategy cannot change the context by its list, and reads the complete configuration", async () => {
    const context = { messages: users(3) };
    const configs: unknown[] = [];
    const received: number[][] = [];
    const sent = sentBy(async (messages: AgentMessage[], config: unknown) => {
      configs.push(config);
      received.push(numbersOf(messages));
      return messages.splice(0, 2);
    });
    expect(await sent.next(context)).toHaveLength(2);
    expect(context.messages).toHaveLength(3);
    context.messages.push(...users(1, 3));
    await sent.next(context);
    expect(received).toEqual([
      [0, 1, 2],
      [0, 1, 3],
    ]);
    expect(numbersOf(context.messages)).toEqual([0, 1, 2, 3]);
    expect(configs).toMatchObject([
      { max_context_tokens: 100_000, keep_recent: 10, compaction: { applyToContext: false } },
      {},
    ]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no index");
      },
      "`compactionStrategy` failed in compact(): no index",
    ],
    ["rejects", () => Promise.reject(new Error("no index")), "`compactionStrategy` failed in compact(): no index"],
    ["returns nothing", () => undefined, "from compact(): it is undefined."],
    ["returns a text", () => "sk-secret", "from compact(): it is a value of the type string."],
    ["returns other elements", () => [user("a"), "sk-secret"], "from compact(): the element 1 is no message."],
    ["is no function", 3, "`compactionStrategy` failed in compact(): "],
  ])("A strategy that %s is refused by the option's name", async (_, compact, message) => {
    const error: unknown = await sentBy(compact)
      .next({ messages: users(1) })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LoopError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain("sk-secret");
  });

  it("A strategy that never ends is abandoned when the loop is cancelled", async () => {
    const controller = new AbortController();
    const pending = sentBy(() => new Promise(() => {})).next({ messages: users(1) }, { signal: controller.signal });
    controller.abort(new Error("stopped"));
    await expect(pending).rejects.toThrow("stopped");
    await expect(sentBy(() => []).next({ messages: users(1) }, { signal: controller.signal })).rejects.toThrow(
      "stopped",
    );
  });
});

describe("the tracker", () => {
  it("The tracker counts the sent list: the provider's count, estimates of later messages, and estimates alone after a rewrite", async () => {
    const usage = { input: 700, output: 30, cache_read: 200, cache_write: 10, total_tokens: 940 };
    const context: { messages: AgentMessage[] } = { messages: users(10) };
    const sent = new SentMessages({ contextConfig: { ...budget(1000), keep_recent: 3 } });
    await sent.next(context);
    expect(sent.tracked(context.messages).currentTokens()).toBe(540);
    context.messages.push(assistant([call("c")], 10, { usage }), result("c", "x".repeat(40)));
    await sent.next(context);
    expect(sent.tracked(context.messages).currentTokens()).toBe(940 + 19);
    context.messages.push(...users(10));
    const rewritten = await sent.next(context);
    expect(sent.tracked(context.messages).currentTokens()).toBe(totalTokens(rewritten));
  });
});
