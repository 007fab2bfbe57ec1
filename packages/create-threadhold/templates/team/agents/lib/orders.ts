// The orders of the shop. Your project would query a database.

export interface Order {
  number: string;
  item: string;
  price: string;
}

const orders: readonly Order[] = [
  { number: "1042", item: "a brass lamp", price: "49.00 EUR" },
  { number: "1043", item: "a wool blanket", price: "85.00 EUR" },
];

export function findOrder(number: string): Order | undefined {
  return orders.find((order) => order.number === number);
}
