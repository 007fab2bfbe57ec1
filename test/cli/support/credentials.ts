// The account and the token of the local server for Cloudflare's API. The token is no secret of anyone.

export const accountId = "0123456789abcdef0123456789abcdef";

export const tokenOf = (): string => ["token", "of", "tests"].join("-").padEnd(40, "0");
