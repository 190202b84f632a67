/** The place of the stage below the form. Its script is loaded with the first result. */
import { chunk } from "../parts/chunk";
import { useLoaded } from "../parts/useLoaded";
import { items } from "./stage";

export function StageSlot() {
  const isNeeded = items.value.length > 0;
  const stage = useLoaded(
    async () => (isNeeded ? await chunk(() => import("./Stage")) : undefined),
    [isNeeded],
  );
  return isNeeded && stage ? <stage.Stage /> : null;
}
