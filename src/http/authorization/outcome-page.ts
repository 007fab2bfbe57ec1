// The page that a person sees after the authorization flow. It loads nothing, runs nothing, and can be shown in no frame.

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** How the authorization flow ended: `opened` for a request that does not end it, or the problem. */
type FlowOutcome = "opened" | "authorized" | { problem: string };

/** Returns the page. */
export function outcomePage(state: FlowOutcome): Response {
  if (state === "opened") return page(200, "Connecting", "");
  if (state === "authorized") {
    return page(200, "Connected", "You can close this window and continue in the conversation.");
  }
  return page(400, "Not connected", state.problem);
}

function page(status: 200 | 400, title: string, text: string): Response {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  const body = `<!doctype html><html lang="en">${head}<h1>${title}</h1><p>${escaped(text)}</p></html>`;
  return new Response(body, { status, headers });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
