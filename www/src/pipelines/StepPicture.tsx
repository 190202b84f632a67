/** A step as a picture: the thumbnail of its task or the icon of its medium, with its state. */
import { Clock, LoaderCircle } from "lucide";
import type { StepSnapshot } from "mediagate";
import { findCapability } from "../catalogue";
import { mediumOfCapability } from "../results/reference";
import { Thumbnail } from "../results/Thumbnail";
import { StateIcon } from "../tasks/StateIcon";
import { findTask } from "../tasks/store";
import { TaskThumbnail } from "../tasks/TaskThumbnail";

export function StepPicture({ step }: { step: StepSnapshot }) {
  const entry = findTask(step.taskId ?? "");
  if (entry) return <TaskThumbnail entry={entry} />;
  const kind = mediumOfCapability(findCapability(step.capability));
  return (
    <span class="picture">
      <Thumbnail source={{ kind }} />
      <StateIcon
        state={step.state}
        unsettled={step.state === "WAITING" ? Clock : LoaderCircle}
      />
    </span>
  );
}
