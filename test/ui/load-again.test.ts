// A query that is loaded again after a change on the server.

import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";

import { loadAgain } from "#playground/kit/load-again.ts";

it("If the server's state changes during the first request of a query, the query is requested again and shows the new state", async () => {
  const queries = new QueryClient();
  let files = 1;
  const answers: (() => void)[] = [];
  const observer = new QueryObserver(queries, {
    queryKey: ["files"],
    // The server reads the number when the request arrives, and the test decides when its response arrives.
    queryFn: () => {
      const read = files;
      return new Promise<number>((resolve) => answers.push(() => resolve(read)));
    },
  });
  const leave = observer.subscribe(() => undefined);
  files = 3;
  const loaded = loadAgain(queries, ["files"]);
  await expect.poll(() => answers.length).toBe(2);
  for (const answer of answers) answer();
  await loaded;
  expect(observer.getCurrentResult().data).toBe(3);
  leave();
});
