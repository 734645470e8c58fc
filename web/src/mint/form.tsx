/** The fields of a registration. What is wrong with one is said at the field. */
import { type FormEvent, useId } from "react";
import { DEFAULT_FRAMEWORK, FRAMEWORKS } from "../../../core/frameworks.ts";
import type { Wallet } from "./wallet.ts";

/** The neutral one stands first and is chosen. */
const CHOICES = [DEFAULT_FRAMEWORK, ...FRAMEWORKS.filter((name) => name !== DEFAULT_FRAMEWORK)];

/** Texts that count for the score, with the most code points each takes. */
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
  /** Path of a field → what is wrong with it. */
  faults: Map<string, string>;
  submit: (event: FormEvent<HTMLFormElement>) => void;
};

export function Form({ disabled, referralCode, wallets, faults, submit }: Props) {
  const id = useId();
  const fault = (path: string) => {
    const found = faults.get(path);
    return {
      attributes: { "aria-invalid": found !== undefined, "aria-describedby": found ? `${id}${path}-fault` : undefined },
      note: found && (
        <p className="fault" id={`${id}${path}-fault`}>
          It {found}.
        </p>
      ),
    };
  };
  return (
    <form className="panel form" onSubmit={submit}>
      <label className="label" htmlFor={`${id}name`}>
        Name
      </label>
      <input
        className="field"
        id={`${id}name`}
        name="name"
        required
        maxLength={64}
        autoComplete="off"
        {...fault("name").attributes}
      />
      {fault("name").note}
      <label className="label" htmlFor={`${id}framework`}>
        Framework
      </label>
      <select className="field" id={`${id}framework`} name="framework">
        {CHOICES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <details className="form-more">
        <summary>Narrative: four texts that add to the score</summary>
        {Object.entries(TEXTS).map(([key, [label, hint, most]]) => (
          <div key={key}>
            <label className="label" htmlFor={id + key}>
              {label} <span className="faint">{hint}</span>
            </label>
            <textarea
              className="field"
              id={id + key}
              name={key}
              rows={2}
              maxLength={most}
              {...fault(`narrative.${key}`).attributes}
            />
            {fault(`narrative.${key}`).note}
          </div>
        ))}
      </details>
      <label className="label" htmlFor={`${id}ref`}>
        Referral code <span className="faint">if you have one</span>
      </label>
      <input
        className="field"
        id={`${id}ref`}
        name="referralCode"
        defaultValue={referralCode}
        maxLength={32}
        autoComplete="off"
        {...fault("referralCode").attributes}
      />
      {fault("referralCode").note}
      {wallets.length > 1 && (
        <>
          <label className="label" htmlFor={`${id}wallet`}>
            Wallet
          </label>
          <select className="field" id={`${id}wallet`} name="wallet">
            {wallets.map((wallet) => (
              <option key={wallet.id} value={wallet.id}>
                {wallet.name}
              </option>
            ))}
          </select>
        </>
      )}
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
