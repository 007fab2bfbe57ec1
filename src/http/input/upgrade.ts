// Whether a request asks for a WebSocket.

/** True for an upgrade to one. */
export function wantsSocket(request: Request): boolean {
  return request.headers.get("upgrade")?.toLowerCase() === "websocket";
}
