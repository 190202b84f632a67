// Session tokens of a gateway whose settings are known.
import { mintSession } from "mediagate/server";

/** The scope of a token for trying a gateway. */
export const SCOPE = "generate:* process:* upload";

/**
 * Signs a session token that a gateway with these settings accepts.
 *
 * @param {Record<string, string>} settings with `SESSION_SECRET`
 * @param {Pick<
 *   import("mediagate/server").SessionOptions,
 *   "subject" | "scope" | "expiresIn" | "budget"
 * >} options
 */
export async function tokenFor(settings, options) {
  const { SESSION_AUDIENCE: audience, SESSION_ISSUER: issuer } = settings;
  const { token } = await mintSession({
    secret: settings.SESSION_SECRET,
    ...(audience && { audience }),
    ...(issuer && { issuer }),
    ...options,
  });
  return token;
}
