// Session tokens of a gateway whose settings are known.
import { mintSession } from "mediagate/server";

export const SCOPE = "generate:* process:* upload";

/**
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
