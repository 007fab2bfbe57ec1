// The shop's orders. Your project would query a database. Tools and endpoints share this file.

export interface Order {
  number: string;
  item: string;
  price: string;
  paid: boolean;
  parcel: string;
}

const orders: readonly Order[] = [
  { number: "1042", item: "a brass lamp", price: "49.00 EUR", paid: true, parcel: "delivered on Monday" },
  { number: "1043", item: "a wool blanket", price: "85.00 EUR", paid: true, parcel: "on its way, due on Friday" },
  { number: "1044", item: "a tea set", price: "32.00 EUR", paid: false, parcel: "waiting for payment" },
];

/** The order with this number; undefined when there is none. */
export function findOrder(number: string): Order | undefined {
  return orders.find((order) => order.number === number);
}
