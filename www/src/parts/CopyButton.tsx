import { Check, Copy } from "lucide";
import { useState } from "preact/hooks";
import { Icon } from "./Icon";

export function CopyButton({
  text,
  label = "Copy",
}: {
  text: string;
  label?: string;
}) {
  const [lastCopied, setLastCopied] = useState<string | undefined>();
  const copied = lastCopied === text;
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setLastCopied(text),
      // The browser may forbid the clipboard. The button then stays as it is.
      () => undefined,
    );
  return (
    <span>
      <button type="button" class="quiet small" onClick={copy}>
        <Icon icon={copied ? Check : Copy} size={14} />{" "}
        {copied ? "Copied" : label}
      </button>
      <span class="unseen" role="status">
        {copied && "Copied"}
      </span>
    </span>
  );
}
