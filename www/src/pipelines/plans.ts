import type { CapabilityName } from "mediagate";
import { filledValues } from "mediagate/forms";
import { findCapability } from "../catalogue";
import { exampleOf } from "../examples";
import { mediumOfCapability, type StepReference } from "../results/reference";
import type { DraftStep } from "../storage";
import { stepTitle } from "./names";
import { PLANS, type PlannedStep, type ReadyMadeName } from "./readyMadePlans";

export function readyMadeSteps(name: ReadyMadeName): Promise<DraftStep[]> {
  return Promise.all(PLANS[name].map(stepOf));
}

async function stepOf({
  capability,
  from,
  values,
}: PlannedStep): Promise<DraftStep> {
  const definition = findCapability(capability);
  const example = definition ? await exampleOf(definition) : {};
  const input = from && { [from.field]: resultOf(from.step) };
  return {
    name: capability,
    capability,
    values: filledValues({ ...example, ...values, ...input }),
  };
}

function resultOf(step: CapabilityName): StepReference {
  return {
    step,
    name: stepTitle({ name: step, capability: step }),
    kind: mediumOfCapability(findCapability(step)),
  };
}
