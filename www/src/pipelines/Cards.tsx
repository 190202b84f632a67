/** The cards of pipelines, a part that is loaded with the first one. */
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
          {all.map((it) => (
            <PipelineCard key={it.id} pipeline={it} newest={it === all[0]} />
          ))}
        </ul>
      )}
    </>
  );
}
