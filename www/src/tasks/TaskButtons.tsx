/** What can be done to a task in the list. */
import { type IconNode, Pause, Play, Square, X } from "lucide";
import { Icon } from "../parts/Icon";
import { type Entry, headingOf, isActive, isOver, isSubmitting } from "./entry";
import { reconcile } from "./resume";
import { update } from "./store";
import { cancelSubmission } from "./submit";
import { focusTask, removeTasks } from "./undo";

export function TaskButtons({ entry }: { entry: Entry }) {
  const { key, step, paused, state } = entry;
  const heading = headingOf(entry);
  const setPaused = (value: boolean) => {
    void update(key, { paused: value, failure: undefined });
    reconcile(key);
  };
  return (
    <div class="buttons">
      {isSubmitting(entry) && (
        <IconButton of={Square} title="Cancel" label={`Cancel ${heading}`} press={() => cancelSubmission(key)} />
      )}
      {isActive(entry) && !step && (
        <IconButton of={Pause} title="Stop watching" label={`Stop watching ${heading}`} press={() => setPaused(true)} />
      )}
      {paused && !isOver(state) && !step && (
        <IconButton of={Play} title="Watch again" label={`Watch ${heading} again`} press={() => setPaused(false)} />
      )}
      <IconButton of={X} title="Remove from the list" label={`Remove ${heading}`} press={(it) => remove(key, it)} />
    </div>
  );
}

/** Removes a task; the focus goes to the next one. */
function remove(key: string, button: HTMLElement): void {
  const next = button
    .closest("li")
    ?.nextElementSibling?.querySelector("[aria-controls]")
    ?.getAttribute("aria-controls");
  removeTasks([key]);
  requestAnimationFrame(() => focusTask(next?.replace(/^task-/, "")));
}

interface IconButtonProps {
  of: IconNode;
  title: string;
  label: string;
  press(button: HTMLElement): void;
}

function IconButton({ of, title, label, press }: IconButtonProps) {
  return (
    <button
      type="button"
      class="quiet square"
      title={title}
      aria-label={label}
      onClick={(event) => press(event.currentTarget)}
    >
      <Icon of={of} />
    </button>
  );
}
