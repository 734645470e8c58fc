/** The fields of a registration; an error of a field is shown below it. */
import { type FormEvent, useId } from "react";
import { DEFAULT_FRAMEWORK, FRAMEWORKS } from "../../../core/frameworks.ts";
import type { Wallet } from "./wallet.ts";

/** The neutral framework comes first and is selected by default. */
const CHOICES = [DEFAULT_FRAMEWORK, ...FRAMEWORKS.filter((name) => name !== DEFAULT_FRAMEWORK)];

/** Texts that count for the score: label, hint, max code points. */
const TEXTS = {
  origin: ["Origin", "Where it comes from", 512],
  mission: ["Mission", "What it is for", 512],
  lore: ["Lore", "What is told of it", 1024],
  manifesto: ["Manifesto", "What it believes", 1024],
} as const;

/** The body of `POST /api/v2/mint`. */
export function bodyOf(form: FormData): string {
  const text = (key: string) => String(form.get(key) ?? "").trim();
  const narrative = Object.fromEntries(
    Object.keys(TEXTS)
      .map((key) => [key, text(key)])
      .filter(([, value]) => value),
  );
  return JSON.stringify({
    name: text("name"),
    framework: text("framework"),
    soulbound: form.get("soulbound") === "on",
    ...(Object.keys(narrative).length > 0 && { narrative }),
    ...(text("referralCode") && { referralCode: text("referralCode") }),
  });
}

type Props = {
  disabled: boolean;
  referralCode: string;
  wallets: Wallet[];
  /** Path of a field → its error. */
  faults: Map<string, string>;
  submit: (event: FormEvent<HTMLFormElement>) => void;
};

/** Attributes of a field with its error, and the error itself below the field. */
function useFaults(faults: Map<string, string>) {
  const id = useId();
  return (path: string) => {
    const found = faults.get(path);
    return {
      id: id + path,
      attributes: { "aria-invalid": found !== undefined, "aria-describedby": found ? `${id}${path}-fault` : undefined },
      note: found && (
        <p className="fault" id={`${id}${path}-fault`}>
          It {found}.
        </p>
      ),
    };
  };
}

type Fault = ReturnType<ReturnType<typeof useFaults>>;

export function Form({ disabled, referralCode, wallets, faults, submit }: Props) {
  const fault = useFaults(faults);
  const framework = useId();
  const name = fault("name");
  const referral = fault("referralCode");
  return (
    <form className="panel form" onSubmit={submit}>
      <label className="label" htmlFor={name.id}>
        Name
      </label>
      <input
        className="field"
        id={name.id}
        name="name"
        required
        maxLength={64}
        autoComplete="off"
        {...name.attributes}
      />
      {name.note}
      <label className="label" htmlFor={framework}>
        Framework
      </label>
      <select className="field" id={framework} name="framework">
        {CHOICES.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
      <Narrative fault={fault} />
      <label className="label" htmlFor={referral.id}>
        Referral code <span className="faint">if you have one</span>
      </label>
      <input
        className="field"
        id={referral.id}
        name="referralCode"
        defaultValue={referralCode}
        maxLength={32}
        autoComplete="off"
        {...referral.attributes}
      />
      {referral.note}
      {wallets.length > 1 && <WalletChoice wallets={wallets} />}
      <label className="check">
        <input type="checkbox" name="soulbound" /> Soulbound: locked to this wallet for ever
      </label>
      <p className="actions">
        <button type="submit" className="button strong" disabled={disabled || wallets.length === 0}>
          Sign and register
        </button>
      </p>
      {wallets.length === 0 && (
        <p className="muted">
          This browser has no wallet. Install one that works with web pages and load this page again; programs register
          by <a href="/docs">POST /api/v2/mint</a>.
        </p>
      )}
    </form>
  );
}

const Narrative = ({ fault }: { fault: (path: string) => Fault }) => (
  <details className="form-more">
    <summary>Narrative: four texts that add to the score</summary>
    {Object.entries(TEXTS).map(([key, [label, hint, most]]) => {
      const { id, attributes, note } = fault(`narrative.${key}`);
      return (
        <div key={key}>
          <label className="label" htmlFor={id}>
            {label} <span className="faint">{hint}</span>
          </label>
          <textarea className="field" id={id} name={key} rows={2} maxLength={most} {...attributes} />
          {note}
        </div>
      );
    })}
  </details>
);

function WalletChoice({ wallets }: { wallets: Wallet[] }) {
  const id = useId();
  return (
    <>
      <label className="label" htmlFor={id}>
        Wallet
      </label>
      <select className="field" id={id} name="wallet">
        {wallets.map((wallet) => (
          <option key={wallet.id} value={wallet.id}>
            {wallet.name}
          </option>
        ))}
      </select>
    </>
  );
}
