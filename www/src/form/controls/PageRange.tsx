/** Pages of a PDF: chosen from the pages shown, or entered as text. */
import { chunk } from "../../parts/chunk";
import { useLoaded } from "../../parts/useLoaded";
import { pagesIn, rangeOf } from "../pageRange";
import type { ControlProps } from "./control";
import { Text } from "./Text";

export function PageRange(props: ControlProps) {
  const { source, value, set } = props;
  const pdf = useLoaded(async () => (source ? chunk(() => import("../../pdf/Pages")) : undefined), [source]);
  const pages = pagesIn(typeof value === "string" ? value : "");
  const toggle = (page: number) => {
    if (!pages.delete(page)) pages.add(page);
    set(rangeOf(pages));
  };
  return (
    <>
      {pdf && source && <pdf.PageChoice source={source} chosen={pages} toggle={toggle} />}
      <Text {...props} />
    </>
  );
}
