/** Fetches fresh URLs for the results of a task, whose old URLs may have expired. */
import { client } from "../client";
import type { Entry } from "../tasks/entry";
import { update } from "../tasks/store";

export async function renew({ key, saved }: Entry): Promise<void> {
  // A result that came without a task cannot be read again.
  if (!saved?.id) return;
  const { outputs } = await (await client()).tasks.restore(saved).refresh();
  if (outputs.length > 0) await update(key, { outputs });
}
