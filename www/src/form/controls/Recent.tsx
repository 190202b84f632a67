/** Results of earlier tasks, which a field offers if they are of its kind. */
import { useSignal } from "@preact/signals";
import { isGone } from "../../results/gone";
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
    .filter(({ kind, url }) => kind === medium && !isGone(url))
    .slice(0, MAX_RESULTS);
  if (found.length === 0) return null;
  const use = async (output: Loadable) => {
    failure.value = "";
    // A copy: a list may contain a result twice, and its objects are the keys of its rows.
    if (output.reference) return add({ ...output.reference });
    const message = `${output.name} could not be loaded. Its link may have expired.`;
    await fetchFile(output).then(add, () => (failure.value = message));
  };
  return (
    <div class="recent">
      <span class="facts">Or a result</span>
      <ul>
        {found.map((output) => (
          <li key={output.url}>
            <button
              type="button"
              class="quiet"
              title={output.name}
              aria-label={`Use the result ${output.name}`}
              onClick={() => void use(output)}
            >
              <Thumbnail source={output} />
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
