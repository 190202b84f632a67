import "img-comparison-slider";
import { ChevronsLeftRight } from "lucide";
import { h } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "../parts/Icon";
import "../style/compare.css";
import type { Chosen } from "./reference";
import { pixelsOf } from "./sizes";
import { TOLERANCE, useSlider } from "./slider";
import { useChosenUrl } from "./urls";

const aspectRatioOf = (image: HTMLImageElement) =>
  image.naturalWidth / image.naturalHeight;

interface CompareProps {
  before: Chosen;
  after: string;
  name: string;
  describe(facts: string): void;
  onError(): void;
  /** Called if the two pictures differ in aspect ratio, or the original cannot be loaded. */
  onMismatch(): void;
}

export function Compare({
  before,
  after,
  name,
  describe,
  onError,
  onMismatch,
}: CompareProps) {
  const original = useChosenUrl(before);
  const slider = useSlider(name);
  const [ratios, setRatios] = useState<readonly number[]>([]);
  const loaded = ({ currentTarget }: { currentTarget: HTMLImageElement }) => {
    // The picture that loads second is compared with the first.
    const [other] = ratios;
    const ratio = aspectRatioOf(currentTarget);
    if (other !== undefined && Math.abs(ratio / other - 1) > TOLERANCE)
      onMismatch();
    setRatios([ratio]);
  };
  return (
    <figure class="compare" style={{ "--ratio": ratios[0] }}>
      {h(
        "img-comparison-slider",
        slider,
        <img
          slot="first"
          src={original}
          alt={`Before ${name}`}
          onLoad={loaded}
          onError={onMismatch}
        />,
        <img
          slot="second"
          src={after}
          alt={`Result of ${name}`}
          onLoad={(event) => {
            describe(pixelsOf(event.currentTarget));
            loaded(event);
          }}
          onError={onError}
        />,
        <span slot="handle" class="handle">
          <Icon icon={ChevronsLeftRight} />
        </span>,
      )}
      <figcaption class="facts" aria-hidden="true">
        <span>Before</span>
        <span>After</span>
      </figcaption>
    </figure>
  );
}
