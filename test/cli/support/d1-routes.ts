// The routes of D1: list, create, look up, and run SQL.

import { createRequire } from "node:module";

import type { Account } from "./cloudflare-api.ts";
import { ApiError, type Route } from "./route.ts";

const { unstable_splitSqlQuery: splitSql } = createRequire(import.meta.url)("wrangler") as {
  unstable_splitSqlQuery: (sql: string) => string[];
};

export function databaseRoutes(account: Account): Route[] {
  const find = (uuid = "") => {
    const database = account.databases.find((each) => each.uuid === uuid || each.name === uuid);
    if (database === undefined) throw new ApiError(404, 7404, `The database ${uuid} could not be found`);
    return database;
  };
  const published = ({ uuid, name }: { uuid: string; name: string }) => ({ uuid, name, version: "production" });
  return [
    {
      method: "GET",
      pattern: /^\/d1\/database$/,
      handle: (_, { url }) => {
        const page = Number(url.searchParams.get("page") ?? 1);
        return Promise.resolve({ result: page === 1 ? account.databases.map(published) : [] });
      },
    },
    {
      method: "POST",
      pattern: /^\/d1\/database$/,
      handle: async (_, { body }) => {
        const { name } = (await body.json()) as { name: string };
        if (account.databases.some((each) => each.name === name))
          throw new ApiError(400, 7502, "A database with that name already exists");
        return { result: published(await account.create(name)) };
      },
    },
    {
      method: "GET",
      pattern: /^\/d1\/database\/([^/]+)$/,
      handle: ([uuid]) => Promise.resolve({ result: published(find(uuid)) }),
    },
    {
      method: "POST",
      pattern: /^\/d1\/database\/([^/]+)\/query$/,
      handle: async ([uuid], { body }) => {
        const { sql } = (await body.json()) as { sql: string };
        const { local } = find(uuid);
        try {
          const results = await local.batch(splitSql(sql).map((statement) => local.prepare(statement)));
          return {
            result: results.map(({ results: rows }) => ({ results: rows, success: true, meta: { duration: 1 } })),
          };
        } catch (error) {
          throw new ApiError(400, 7500, error instanceof Error ? error.message : String(error));
        }
      },
    },
  ];
}
