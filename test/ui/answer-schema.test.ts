// The title under which a structured answer is shown.

import { describe, expect, it } from "vitest";

import { titleFor } from "#playground/agents/answer-schema.ts";

const order = { title: "Order", type: "object", properties: { item: {}, count: {} } };

describe("the title of a structured answer", () => {
  it("The title of a structured answer is that of the first schema that has every property of its data", () => {
    const bill = { title: "Bill", properties: { item: {}, price: {} } };
    expect(titleFor([bill, order], { item: "lamp", count: 1 })).toBe("Order");
    expect(titleFor([bill, order], { item: "lamp" })).toBe("Bill");
  });

  it("A structured answer has no title if its data has no properties or one that no schema has, or if its schema has no title", () => {
    expect(titleFor([order], { item: "lamp", price: 2 })).toBeNull();
    expect(titleFor([order], ["lamp"])).toBeNull();
    expect(titleFor([order], null)).toBeNull();
    expect(titleFor([{ properties: { item: {} } }], { item: "lamp" })).toBeNull();
    expect(titleFor([{ title: "Any" }], { item: "lamp" })).toBeNull();
  });
});
