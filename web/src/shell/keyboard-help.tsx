/** The dialog that lists the keyboard shortcuts, and switches them off. */
import { store, useStored } from "../stored.ts";
import { Dialog } from "./dialog.tsx";
import { PLACES } from "./places.ts";

/** Operators know theirs. */
const SHOWN = PLACES.filter(({ to }) => to !== "/operator");

const KEYS: [string, string[]][] = [
  ["Search", ["/"]],
  ["Everything", ["Ctrl", "K"]],
  ["Next, previous row or agent", ["j", "k"]],
  ["Open the row", ["Enter"]],
  ["Watch the row", ["s"]],
  ["Compare the row", ["c"]],
  ["Filters", ["f"]],
  ...SHOWN.map(({ label, key }): [string, string[]] => [label, ["g", key]]),
  ["This page", ["?"]],
  ["Close, leave the search", ["Esc"]],
];

export default function KeyboardHelp({ close }: { close: () => void }) {
  const shortcuts = useStored("shortcuts");
  return (
    <Dialog title="Keyboard" onClose={close}>
      <dl className="keys">
        {KEYS.map(([what, keys]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={shortcuts} onChange={(event) => store("shortcuts", event.target.checked)} />
        Single keys are shortcuts
      </label>
    </Dialog>
  );
}
