/** Results of earlier tasks, offered for fields that take files of their kind. */
import { useSignal } from "@preact/signals";
import { fetchFile, type Loadable, loadables } from "../../results/output";
import type { Chosen } from "../../results/reference";
import { Thumbnail } from "../../results/Thumbnail";
import { entries } from "../../tasks/store";

const MAX_RESULTS = 4;

export function Recent({
  medium,
  add,
}: {
  medium: string | undefined;
  add(result: Chosen): void;
}) {
  const failure = useSignal("");
  const found = entries.value
    .flatMap(loadables)
    .filter((it) => it.kind === medium)
    .slice(0, MAX_RESULTS);
  if (found.length === 0) return null;
  const use = async (output: Loadable) => {
    failure.value = "";
    if (output.reference) return add({ ...output.reference });
    await fetchFile(output).then(
      add,
      () =>
        (failure.value = `${output.name} could not be loaded. Its URL may have expired.`),
    );
  };
  return (
    <div class="recent">
      <span class="facts">Or a result</span>
      <ul>
        {found.map((it) => (
          <li key={it.url}>
            <button
              type="button"
              class="quiet"
              title={it.name}
              aria-label={`Use the result ${it.name}`}
              onClick={() => void use(it)}
            >
              <Thumbnail of={it} />
            </button>
          </li>
        ))}
      </ul>
      <p class="issues" role="status">
        {failure.value}
      </p>
    </div>
  );
}
