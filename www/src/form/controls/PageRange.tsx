/** Pages of a PDF in an order, chosen from pictures of the pages or entered as text. */
import { pagesIn, tidyPages, togglePage } from "mediagate/forms";
import { useRef } from "preact/hooks";
import { useChunk } from "../../parts/useLoaded";
import type { ControlProps } from "./control";
import { Text } from "./Text";

export function PageRange(props: ControlProps) {
  const { value, set } = props;
  // A result is left out, since few of their hosts let the page read it.
  const source = props.source instanceof File ? props.source : undefined;
  const pdf = useChunk(() => import("../../pdf/Pages"), source !== undefined);
  const text = typeof value === "string" ? value : "";
  // Pages may be pressed faster than the field renders.
  const latest = useRef(text);
  latest.current = text;
  const change = (changed: unknown) => {
    latest.current = String(changed);
    set(changed);
  };
  const tidy = () => {
    const changed = tidyPages(latest.current);
    if (changed !== latest.current) change(changed);
  };
  return (
    <>
      {pdf && source && (
        <pdf.PageChoice
          source={source}
          positions={positionsIn(text)}
          numbered={!isInOrder(text)}
          toggle={(page) => change(togglePage(latest.current, page))}
        />
      )}
      <Text {...props} set={change} onEnd={tidy} />
    </>
  );
}

/** Returns where each page is in the range. A page may be repeated. */
function positionsIn(text: string): ReadonlyMap<number, readonly number[]> {
  const positions = new Map<number, number[]>();
  for (const [index, page] of pagesIn(text).entries()) {
    positions.set(page, [...(positions.get(page) ?? []), index + 1]);
  }
  return positions;
}

function isInOrder(text: string): boolean {
  return pagesIn(text).every(
    (page, index, pages) => index === 0 || page > Number(pages[index - 1]),
  );
}
