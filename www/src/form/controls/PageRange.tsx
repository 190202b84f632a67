/** Pages of a PDF in an order: chosen from the pages shown, or entered as text. */
import { useRef } from "preact/hooks";
import { chunk } from "../../parts/chunk";
import { useLoaded } from "../../parts/useLoaded";
import { isInOrder, positionsIn, tidied, toggled } from "../pageRange";
import type { ControlProps } from "./control";
import { Text } from "./Text";

export function PageRange(props: ControlProps) {
  const { value, set } = props;
  // The pages of a result could be read only where its host lets the page do so.
  const source = props.source instanceof File ? props.source : undefined;
  const pdf = useLoaded(
    async () => (source ? chunk(() => import("../../pdf/Pages")) : undefined),
    [source],
  );
  const text = typeof value === "string" ? value : "";
  // Also changes since the last render, so that the next one builds on them.
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
