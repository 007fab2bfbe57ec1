// GET /api/orders/:order: a controller with a dynamic segment. It shares its data with the support desk's tools.

import { defineController } from "threadhold";

import { findOrder } from "../../lib/orders.ts";

export default defineController(({ params, user }) => {
  const order = findOrder(params["order"] ?? "");
  // An object is sent as JSON with status 200; a Response is sent as it is.
  return order === undefined
    ? Response.json({ error: `There is no order ${params["order"]}.` }, { status: 404 })
    : { ...order, asked_by: user?.id ?? null };
});
