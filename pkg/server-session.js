// A session token for a user.

import { issue } from "./server-token.js";

/** @type {typeof import("./server-session.js").mintSession} */
export const mintSession = async (options) => (await issue(options)).token;
