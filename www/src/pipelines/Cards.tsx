/** The cards of pipelines, a part that is loaded with the first pipeline. */
import { DraftCard } from "./DraftCard";
import { PipelineCard } from "./PipelineCard";
import { pipelines } from "./store";
import "../style/pipelines.css";

export function Cards() {
  const all = pipelines.value;
  return (
    <>
      <DraftCard />
      {all.length > 0 && (
        <ul aria-label="Pipelines">
          {all.map((pipeline, index) => (
            <PipelineCard
              key={pipeline.id}
              pipeline={pipeline}
              newest={index === 0}
            />
          ))}
        </ul>
      )}
    </>
  );
}
