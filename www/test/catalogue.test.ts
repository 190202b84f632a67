import { expect, test } from "vitest";
import { capabilities, sections } from "../src/catalogue";

function found(filter: string): string[] {
  return sections(filter, capabilities).flatMap((section) =>
    section.capabilities.map(({ title }) => title),
  );
}

test("the search finds a capability by its title and by each of its everyday words", () => {
  expect(found("pdf")).toEqual(["Merge PDFs", "Split PDF"]);
  expect(found("no such thing")).toEqual([]);
  for (const { title, keywords = [] } of capabilities)
    for (const word of keywords) expect(found(word), word).toContain(title);
});
