/** A folded pipeline: pictures of its steps in a row, with arrows from the steps that each uses. */
import type { StepSnapshot } from "mediagate";
import { stateWord } from "mediagate/words";
import { fromWords, stepTitle } from "./names";
import { StepPicture } from "./StepPicture";

interface FlowProps {
  heading: string;
  steps: readonly StepSnapshot[];
}

export function Flow({ heading, steps }: FlowProps) {
  return (
    <ol class="flow" aria-label={`Steps of ${heading}`}>
      {steps.map((step, index) => (
        <li
          key={step.name}
          title={stepTitle(step)}
          data-from={fromWords(step.uses, steps[index - 1], steps)}
        >
          <StepPicture step={step} />
          <span class="unseen">
            {stepTitle(step)}: {stateWord(step.state)}
          </span>
        </li>
      ))}
    </ol>
  );
}
