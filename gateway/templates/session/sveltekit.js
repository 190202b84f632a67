// Issues session tokens for the Mediagate gateway to the users of this app.
import { svelteKitSessionHandler } from "mediagate/server";
import { env } from "$env/dynamic/private";

export const POST = svelteKitSessionHandler({
  secret: () => env.SESSION_SECRET, // the gateway's
  scope: ["upload", "generate:*", "process:*"],
  budget: { creates: 20, inFlight: 2 }, // in 24 hours, and at a time
  authenticate: async () => {
    // Fill in how this app finds the user of a request. Until then, every response is a 401. In
    // TypeScript, the type of the event is RequestEvent of @sveltejs/kit.
    //
    //   authenticate: async ({ locals }) => {
    //     return locals.user && { subject: locals.user.id };
    //   },
    return undefined;
  },
});
