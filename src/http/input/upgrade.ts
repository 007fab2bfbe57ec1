// Detects WebSocket upgrades.

/** Whether a request asks to upgrade to a WebSocket. */
export function wantsSocket(request: Request): boolean {
  return request.headers.get("upgrade")?.toLowerCase() === "websocket";
}
