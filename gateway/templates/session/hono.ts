// Issues session tokens for the Mediagate gateway to the users of this app.
import type { Context } from "hono";
import { env } from "hono/adapter";
import { honoSessionHandler } from "mediagate/server";

export const sessionHandler = honoSessionHandler({
  // The gateway's. In a Worker it comes with the request, elsewhere from the environment.
  secret: (context: Context) =>
    env<{ SESSION_SECRET?: string }>(context).SESSION_SECRET,
  scope: ["upload", "generate:*", "process:*"],
  budget: { creates: 20, inFlight: 2 }, // in 24 hours, and at a time
  authenticate: async () => {
    // Fill in how this app finds the user of a request. Until then, every response is a 401.
    //
    //   authenticate: async (context) => {
    //     const user = await findUser(context.req.header("cookie"));
    //     return user && { subject: user.id };
    //   },
    return undefined;
  },
});
