import { CircleStop, Pause, Play, X } from "lucide";
import { IconButton } from "../parts/IconButton";
import type { Target } from "../parts/useFocusAfter";
import { STAGE_HEADING } from "../stage/shown";
import { type Entry, headingOf, isActive, isOver, isSubmitting } from "./entry";
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
  const setPaused = (paused: boolean) =>
    void update(key, { paused, failure: undefined });
  return (
    <div class="buttons">
      {isSubmitting(entry) && (
        <IconButton
          icon={CircleStop}
          title="Cancel"
          label={`Cancel ${heading}`}
          next={nearHeadings}
          onClick={() => cancelSubmission(key)}
        />
      )}
      {isActive(entry) && !step && (
        <IconButton
          icon={Pause}
          title="Stop watching"
          label={`Stop watching ${heading}`}
          next={nearHeadings}
          onClick={() => setPaused(true)}
        />
      )}
      {paused && !isOver(state) && !step && (
        <IconButton
          icon={Play}
          title="Watch again"
          label={`Watch ${heading} again`}
          next={nearHeadings}
          onClick={() => setPaused(false)}
        />
      )}
      {isRemovable && (
        <IconButton
          icon={X}
          title="Remove from the list"
          label={`Remove ${heading}`}
          next={nearHeadings}
          onClick={() => removeTasks([key])}
        />
      )}
    </div>
  );
}

/** Returns the headings of the stage, which may show another thing then, and of the list. */
export function nearHeadings(): Target[] {
  return [
    () => document.getElementById(STAGE_HEADING),
    document.getElementById("tasks-heading"),
  ];
}
