/** The line about the server that does the work: the media service or an emulator. */
import { FlaskConical } from "lucide";
import { worker } from "../form/models";
import { Icon } from "../parts/Icon";
import { introduction } from "./shown";

export function Worker() {
  if (worker.value === "emulator") {
    return (
      <p class="worker" data-worker="emulator">
        <Icon icon={FlaskConical} />
        <span>
          <b>An emulator does the work here, not the media service.</b> Results
          are drawn or barely processed, and nothing is charged.
        </span>
      </p>
    );
  }
  return worker.value && introduction.value ? (
    <p class="worker">
      Results are real. Each task may cost credits of the account behind this
      gateway.
    </p>
  ) : null;
}
