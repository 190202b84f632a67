// Issues session tokens for the Mediagate gateway to the users of this app.
import { expressSessionHandler } from "mediagate/server";

export const sessionHandler = expressSessionHandler({
  secret: process.env.SESSION_SECRET, // the gateway's
  scope: ["upload", "generate:*", "process:*"],
  budget: { creates: 20, inFlight: 2 }, // in 24 hours, and at a time
  authenticate: async () => {
    // Fill in how this app finds the user of a request. Until then, every response is a 401.
    //
    //   authenticate: async (request) => {
    //     const user = await findUser(request.headers.cookie);
    //     return user && { subject: user.id };
    //   },
    return undefined;
  },
});
