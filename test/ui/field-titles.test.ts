// The labels of a form's fields.

import { describe, expect, it } from "vitest";

import { keyKeyword, labelOf, withTitles } from "#playground/schema-form/field-titles.ts";

describe("the labels of a form", () => {
  it("A key is written as words with a capital at the beginning", () => {
    const labels = {
      order_id: "Order ID",
      orderId: "Order ID",
      "max-price": "Max price",
      amount: "Amount",
      callbackUrl: "Callback URL",
      HTTP_method: "HTTP method",
      line2: "Line2",
      "größe.in_cm": "Größe in cm",
      "": "",
      __: "__",
      名前: "名前",
    };
    expect(Object.fromEntries(Object.keys(labels).map((key) => [key, labelOf(key)]))).toEqual(labels);
  });

  it("Each property of a schema, also of nested objects, lists, definitions and options, has a title and its key, and its own title stays", () => {
    const field = { type: "string" };
    const schema = {
      type: "object",
      properties: {
        order_id: field,
        to: { title: "Send to", $ref: "#/$defs/place" },
        blank: { title: " ", ...field },
        items: { type: "array", items: { type: "object", properties: { unit_price: field } } },
        anything: true,
      },
      $defs: { place: { type: "object", properties: { zip_code: field } } },
      anyOf: [{ properties: { by_air: { type: "boolean" } } }],
    };
    const titled = withTitles(schema);
    expect(titled).toEqual({
      type: "object",
      properties: {
        order_id: { ...field, title: "Order ID", [keyKeyword]: "order_id" },
        to: { title: "Send to", $ref: "#/$defs/place", [keyKeyword]: "to" },
        blank: { ...field, title: "Blank", [keyKeyword]: "blank" },
        items: {
          type: "array",
          items: {
            type: "object",
            properties: { unit_price: { ...field, title: "Unit price", [keyKeyword]: "unit_price" } },
          },
          title: "Items",
          [keyKeyword]: "items",
        },
        anything: true,
      },
      $defs: {
        place: { type: "object", properties: { zip_code: { ...field, title: "Zip code", [keyKeyword]: "zip_code" } } },
      },
      anyOf: [{ properties: { by_air: { type: "boolean", title: "By air", [keyKeyword]: "by_air" } } }],
    });
    expect(schema.properties.order_id).toEqual(field);
  });
});
