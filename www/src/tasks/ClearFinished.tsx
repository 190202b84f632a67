/** The button that removes every finished task in the list. It asks first if there are many. */
import { useSignal } from "@preact/signals";
import { afterRender } from "../parts/afterRender";
import { Dialog } from "../parts/Dialog";
import type { Entry } from "./entry";
import { focusTask, removeTasks } from "./undo";

/** The fewest tasks that are removed only after a question. */
const MIN_ASKED = 5;

export function ClearFinished({ finished }: { finished: readonly Entry[] }) {
  const isAsking = useSignal(false);
  const count = finished.length;
  const clear = () => {
    isAsking.value = false;
    removeTasks(finished.map((task) => task.key));
    afterRender(() => focusTask(undefined));
  };
  const press = () => {
    if (count < MIN_ASKED) clear();
    else isAsking.value = true;
  };
  const close = () => (isAsking.value = false);
  return (
    <>
      <button type="button" class="quiet" onClick={press}>
        Clear finished ({count})
      </button>
      {isAsking.value && (
        <Dialog heading={`Remove ${count} finished tasks?`} close={close}>
          <p>
            Running tasks stay. “Recently removed” keeps the others for a day,
            with their inputs and results.
          </p>
          <div class="choices">
            <button type="button" onClick={close}>
              Keep them
            </button>
            <button type="button" class="primary" onClick={clear}>
              Remove {count} tasks
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
