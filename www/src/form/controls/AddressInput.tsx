/** A button in a field for files, which becomes an input for the address of a file. */
import { Link } from "lucide";
import { useRef, useState } from "preact/hooks";
import { afterRender } from "../../parts/afterRender";
import { Icon } from "../../parts/Icon";
import { useFocusAfter } from "../../parts/useFocusAfter";
import type { Address } from "../../results/reference";
import { addressIn } from "../address";
import { isOpened } from "../opened";

interface AddressInputProps {
  id: string;
  label: string;
  add(address: Address): void;
}

export function AddressInput({ id, label, add }: AddressInputProps) {
  const isOpen = isOpened(id);
  const open = () => {
    isOpen.value = true;
    afterRender(() => document.getElementById(id)?.focus());
  };
  const take = (address: Address) => {
    isOpen.value = false;
    add(address);
  };
  if (isOpen.value) return <Entry id={id} label={label} add={take} />;
  return (
    <div>
      <button type="button" class="quiet small" onClick={open}>
        <Icon icon={Link} size={14} /> Paste an address
      </button>
    </div>
  );
}

function Entry({ id, label, add }: AddressInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isWrong, setWrong] = useState(false);
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
        id={id}
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
