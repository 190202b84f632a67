/** A button in a field for files, which becomes an input for the address of a file. */
import { Link } from "lucide";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../parts/Icon";
import { useFocusAfter } from "../../parts/useFocusAfter";
import type { Address } from "../../results/reference";
import { addressIn } from "../address";

interface AddressInputProps {
  label: string;
  add(address: Address): void;
}

export function AddressInput({ label, add }: AddressInputProps) {
  const [isOpen, setOpen] = useState(false);
  const take = (address: Address) => {
    setOpen(false);
    add(address);
  };
  if (isOpen) return <Entry label={label} add={take} />;
  return (
    <div>
      <button type="button" class="quiet small" onClick={() => setOpen(true)}>
        <Icon icon={Link} size={14} /> Paste an address
      </button>
    </div>
  );
}

function Entry({ label, add }: AddressInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isWrong, setWrong] = useState(false);
  useLayoutEffect(() => input.current?.focus(), []);
  useFocusAfter(input, (removed) => [
    removed.closest(".picker")?.querySelector("input[type=file]"),
  ]);
  const take = (event: { currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget;
    const address = addressIn(value);
    setWrong(!address && value !== "");
    if (!address) return;
    // The removal of an input is a change, too.
    event.currentTarget.value = "";
    add(address);
  };
  return (
    <>
      <input
        ref={input}
        type="text"
        inputMode="url"
        placeholder="https://…"
        aria-label={`Address of a file, ${label}`}
        aria-invalid={isWrong}
        onInput={(event) =>
          event.inputType === "insertFromPaste" && take(event)
        }
        onChange={take}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // Enter would run the form.
          event.preventDefault();
          take(event);
        }}
      />
      <p class="remark" role="status">
        {isWrong && "This is no https address of a file."}
      </p>
    </>
  );
}
