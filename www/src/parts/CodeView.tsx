import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Chips } from "./Chips";
import { CopyButton } from "./CopyButton";

interface CodeViewProps<Name extends string> {
  label: string;
  names: readonly Name[];
  chosen: Signal<Name>;
  text: string | undefined;
  children?: ComponentChildren;
}

export function CodeView<Name extends string>({
  label,
  names,
  chosen,
  text,
  children,
}: CodeViewProps<Name>) {
  const choose = (name: Name) => (chosen.value = name);
  return (
    <>
      <div class="bar">
        <Chips {...{ label, names, choose }} chosen={chosen.value} />
        {text !== undefined && <CopyButton text={text} />}
      </div>
      {children}
      {text !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which by keyboard needs the focus
        <section class="source" tabIndex={0} aria-label={chosen.value}>
          <pre>
            <code>{text}</code>
          </pre>
        </section>
      )}
    </>
  );
}
