/** The pipeline that is being built, and those that were started. Always there, so that the list below follows its height. */
import { DraftCard } from "./DraftCard";
import { PipelineCard } from "./PipelineCard";
import { pipelines } from "./store";

export function Pipelines() {
  const all = pipelines.value;
  return (
    <div class="pipelines">
      <DraftCard />
      {all.length > 0 && (
        <ul aria-label="Pipelines">
          {all.map((it) => (
            <PipelineCard key={it.id} pipeline={it} newest={it === all[0]} />
          ))}
        </ul>
      )}
    </div>
  );
}
