import { useSignal } from "@preact/signals";
import { Icon } from "../parts/Icon";
import { iconOf } from "../parts/media";
import type { Entry } from "../tasks/entry";
import "../style/gallery.css";
import { current, itemsOf, show } from "./stage";
import { Thumbnail } from "./Thumbnail";

/** The number of pictures that a press adds. More would load the frames of too many videos. */
const PAGE = 40;

export function Gallery({ entries }: { entries: readonly Entry[] }) {
  const count = useSignal(PAGE);
  const all = entries.flatMap(itemsOf);
  return (
    <>
      <ul class="gallery" aria-label="Results">
        {all.slice(0, count.value).map((item) => (
          <li key={item.id}>
            <button
              type="button"
              aria-label={`Show the result ${item.output.name}`}
              title={item.output.name}
              aria-current={item.id === current.value?.id}
              onClick={() => show(item)}
            >
              <Thumbnail key={item.output.url} source={item.output} />
              {item.output.kind === "video" && <Icon icon={iconOf("video")} />}
            </button>
          </li>
        ))}
      </ul>
      {all.length === 0 && <p class="facts">No task has a result yet.</p>}
      {all.length > count.value && (
        <button
          type="button"
          class="quiet"
          onClick={() => (count.value += PAGE)}
        >
          Show {Math.min(PAGE, all.length - count.value)} more
        </button>
      )}
    </>
  );
}
