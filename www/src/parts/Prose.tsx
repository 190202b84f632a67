/** A catalogue text, with the parts between backticks as code. */
export function Prose({ text }: { text: string }) {
  const parts = text.split("`");
  return (
    <>
      {parts.map((it, index) =>
        index % 2 === 1 ? <code key={index}>{it}</code> : it,
      )}
    </>
  );
}
