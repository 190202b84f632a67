/** The buttons of a task in the list. */
import { type IconNode, Pause, Play, Square, X } from "lucide";
import { useRef } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { useFocusAfter } from "../parts/useFocusAfter";
import { type Entry, headingOf, isActive, isOver, isSubmitting } from "./entry";
import { reconcile } from "./resume";
import { update } from "./store";
import { cancelSubmission } from "./submit";
import { removeTasks } from "./undo";

export function TaskButtons({
  entry,
  isRemovable,
}: {
  entry: Entry;
  isRemovable: boolean;
}) {
  const { key, step, paused, state } = entry;
  const heading = headingOf(entry);
  const setPaused = (value: boolean) => {
    void update(key, { paused: value, failure: undefined });
    reconcile(key);
  };
  return (
    <div class="buttons">
      {isSubmitting(entry) && (
        <IconButton
          icon={Square}
          title="Cancel"
          label={`Cancel ${heading}`}
          press={() => cancelSubmission(key)}
        />
      )}
      {isActive(entry) && !step && (
        <IconButton
          icon={Pause}
          title="Stop watching"
          label={`Stop watching ${heading}`}
          press={() => setPaused(true)}
        />
      )}
      {paused && !isOver(state) && !step && (
        <IconButton
          icon={Play}
          title="Watch again"
          label={`Watch ${heading} again`}
          press={() => setPaused(false)}
        />
      )}
      {isRemovable && (
        <IconButton
          icon={X}
          title="Remove from the list"
          label={`Remove ${heading}`}
          press={() => removeTasks([key])}
        />
      )}
    </div>
  );
}

interface IconButtonProps {
  icon: IconNode;
  title: string;
  label: string;
  press(): void;
}

export function IconButton({ icon, title, label, press }: IconButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(button, nearHeadings);
  return (
    <button
      ref={button}
      type="button"
      class="quiet square"
      title={title}
      aria-label={label}
      onClick={press}
    >
      <Icon icon={icon} />
    </button>
  );
}

/** Returns the headings of the task, of the next task and of the list. */
function nearHeadings(button: HTMLElement): (Element | null | undefined)[] {
  const task = button.closest("li");
  return [
    task?.querySelector("[aria-controls]"),
    task?.nextElementSibling?.querySelector("[aria-controls]"),
    document.getElementById("tasks-heading"),
  ];
}
