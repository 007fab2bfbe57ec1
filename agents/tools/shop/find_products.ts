// Queries a table of the D1 database that wrangler.toml binds as SHOP. A project of your own creates its table with a migration.

import { defineTool } from "threadhold";
import { z } from "zod";

import { createProducts } from "../../lib/products.ts";

export default defineTool(
  "Find products of the shop and their prices, by a part of the name.",
  z.object({ name: z.string().min(1).max(50).describe("A part of the product's name") }),
  async (state, { name }) => {
    const { SHOP } = state.env;
    await createProducts(SHOP);
    const { results } = await SHOP.prepare(
      "SELECT name, price FROM products WHERE instr(name, ?) > 0 ORDER BY name LIMIT 10",
    )
      .bind(name.toLowerCase())
      .all<{ name: string; price: number }>();
    const lines = results.map((product) => `${product.name}: ${String(product.price)} euros`);
    return { status: "success", result: lines.length === 0 ? `The shop has no ${name}.` : lines.join("\n") };
  },
);
