/** Pages of a PDF in an order, chosen from pictures of the pages or entered as text. */
import { useRef } from "preact/hooks";
import { useChunk } from "../../parts/useLoaded";
import { isInOrder, positionsIn, tidied, toggled } from "../pageRange";
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
    const changed = tidied(latest.current);
    if (changed !== latest.current) change(changed);
  };
  return (
    <>
      {pdf && source && (
        <pdf.PageChoice
          source={source}
          positions={positionsIn(text)}
          numbered={!isInOrder(text)}
          toggle={(page) => change(toggled(latest.current, page))}
        />
      )}
      <Text {...props} set={change} onEnd={tidy} />
    </>
  );
}
