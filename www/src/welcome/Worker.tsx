/**
 * The line about the server that does the work: the media service or an emulator. Its place has the
 * same height before that is known, so that nothing below it moves from under a pointer.
 */
import { FlaskConical } from "lucide";
import { worker } from "../offers";
import { Icon } from "../parts/Icon";

export function Worker() {
  return (
    <div class="worker" data-worker={worker.value}>
      <p class="emulated">
        <Icon icon={FlaskConical} />
        <span>
          <b>An emulator works here.</b>
          <span>Results are drawn, and nothing is charged.</span>
        </span>
      </p>
      <p class="real">
        Results are real. Each task may cost credits of this gateway’s account.
      </p>
    </div>
  );
}
