/** The line about a result that the emulator made, with the emulator's note. */
import { FlaskConical } from "lucide";
import { Icon } from "../parts/Icon";
import { madeByEmulator } from "../words";

export function Made({ note }: { note: string | null | undefined }) {
  if (note === undefined) return null;
  return (
    <p class="made">
      <Icon icon={FlaskConical} size={14} /> {madeByEmulator(note)}
    </p>
  );
}
