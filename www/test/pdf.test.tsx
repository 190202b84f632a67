// @vitest-environment happy-dom
import { render } from "preact";
import { expect, test, vi } from "vitest";
import { PdfView } from "../src/pdf/Pages";
import { soon } from "./soon";

const drawn = vi.hoisted(() => [] as { page: number; width: number }[]);

vi.mock("../src/pdf/open", () => ({
  openPdf: async () => ({ numPages: 3, loadingTask: { destroy: () => {} } }),
  drawPage: async (_: unknown, page: number, __: unknown, width: number) => {
    drawn.push({ page, width });
  },
}));

vi.stubGlobal(
  "IntersectionObserver",
  class {
    constructor(readonly report: (entries: object[]) => void) {}
    observe() {
      this.report([{ isIntersecting: true }]);
    }
    disconnect() {}
  },
);

test("a PDF shows its first page large, and another at a press in the strip", async () => {
  render(
    <PdfView source="https://a.test/a.pdf" name="Report" onError={() => {}} />,
    document.body,
  );
  const large = () =>
    document.querySelector(".large-page canvas")?.getAttribute("aria-label");
  const isLarge = ({ width }: { width: number }) => width === 1600;
  const current = () =>
    document.querySelector("[aria-current=true]")?.getAttribute("aria-label");
  await soon(() => expect(large()).toBe("Page 1 of Report"));
  expect(current()).toBe("Show page 1");
  document.querySelector<HTMLElement>("[aria-label='Show page 3']")?.click();
  await soon(() => expect(large()).toBe("Page 3 of Report"));
  expect(current()).toBe("Show page 3");
  await soon(() =>
    expect(drawn.filter(isLarge).map(({ page }) => page)).toEqual([1, 3]),
  );
});
