// A session token for a user.

import { issue } from "./server-token.js";

/** @type {typeof import("./server-session.js").mintSession} */
export const mintSession = async (options) => {
  const { token, claims } = await issue(options);
  return { token, tokenId: claims.jti, expiresAt: new Date(claims.exp * 1000) };
};
