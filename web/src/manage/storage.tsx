/** Where a change is written, off chain or on chain, with what that costs; and the writes on chain that are under way. */
import { useState } from "react";
import { counted, moment } from "../formats.ts";
import { Icon } from "../parts/button.tsx";
import { fieldLabel } from "../parts/form.tsx";
import { isUnderWay, type Profile, Transactions } from "./write.tsx";

const WRITE_STATES = {
  queued: "waits to be sent",
  sent: "sent, not in a block yet",
  mined: "in a block, being indexed",
  refused: "refused by the chain; nothing was changed",
} as const;

type Storage = "offchain" | "onchain";

/** Gas of a short text or trait; the service itself counts a longer one by its bytes. */
const SHORT_WRITE_GAS = 150_000;
/** Percent of the day's gas that is left. */
const shareLeft = ({ gasLeft, gasMax }: Profile["cost"]) => Math.floor((100 * gasLeft) / gasMax);

/** Why the service would not write this on chain now; null when it would. */
export function refusalOf({ cost }: Profile, parts: number, traits = 0): string | null {
  if (!cost.funded) return "Not now: the service cannot pay for transactions at the moment.";
  if (parts * SHORT_WRITE_GAS > cost.gasLeft)
    return `Not today: ${shareLeft(cost)} % of the gas that the service pays for this agent are left until midnight UTC.`;
  return traits > 0 && !cost.traitsPayable
    ? `The contract takes ${cost.traitPrice ?? ""} ETH for a trait, which the service does not pay.`
    : null;
}

type ChangeOnChain = {
  /** Transactions that the change needs on chain. */
  parts: number;
  /** Of them, how many the contract takes its price of a trait for. */
  traits?: number;
  /** Whether the connected wallet owns the token and is not the agent's own. */
  byOwner?: boolean;
};

/** Where a change goes: on chain where that is chosen, and the service would write it now. */
export function useStorage(profile: Profile, { parts, traits = 0, byOwner = false }: ChangeOnChain) {
  const [chosen, choose] = useState<Storage>("offchain");
  const { cost } = profile;
  const refusal = refusalOf(profile, parts, traits);
  const storage = refusal === null ? chosen : "offchain";
  const option = (value: Storage, label: string, note: string) => (
    <label className="option">
      <input
        type="radio"
        name="storage"
        value={value}
        checked={storage === value}
        disabled={value === "onchain" && refusal !== null}
        onChange={() => choose(value)}
      />
      <span>
        <b>{label}</b>
        <span className="muted hint">{note}</span>
      </span>
    </label>
  );
  const choice = (
    <fieldset className="storage">
      <legend className="label">Where it is written</legend>
      {option(
        "offchain",
        "Off chain",
        byOwner
          ? "The service keeps it. You sign one line of text as the owner; it is shown at once."
          : "The service keeps it. It is shown at once.",
      )}
      {option(
        "onchain",
        "On chain, on Base",
        refusal ??
          (parts === 0
            ? "The service sends the transactions and pays for them. You need no ether."
            : `${counted(parts, "transaction", "transactions")}, sent and paid by the service. You need no ether. ${shareLeft(cost)} % of today's gas are left.`),
      )}
      <p className="muted" aria-live="polite">
        {Number(cost.price) > 0
          ? `A change costs ${cost.price} USDC, on chain and off chain. The payment is asked for before anything is written.`
          : "A change costs nothing."}
        {storage === "onchain" && traits > 0 && cost.traitPrice !== null && Number(cost.traitPrice) > 0 && (
          <> The contract takes {cost.traitPrice} ETH for each trait; the service pays that too.</>
        )}
      </p>
    </fieldset>
  );
  return { onchain: storage === "onchain", choice };
}

/** Writes on chain that the index does not have yet, and those that the chain refused. */
export function Writing({ profile }: { profile: Profile }) {
  const { writing } = profile;
  if (writing.length === 0) return null;
  return (
    <section className="panel mint-step" aria-label="Being written on chain">
      <h2>Being written on chain</h2>
      <ul className="writing" role="status">
        {writing.map((write) => (
          <li key={write.part} data-state={write.state}>
            <b>
              <bdi>{partLabel(write.part)}</bdi>
            </b>
            <span className={isUnderWay(write) ? "muted" : "warn-text"}>
              {!isUnderWay(write) && <Icon name="warn" />} {WRITE_STATES[write.state]}
              <span className="faint"> · {moment(write.acceptedAt)}</span>
            </span>
            {write.txHash && <Transactions of={[write.txHash]} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `trait:patient` as people read it. */
function partLabel(part: string): string {
  const [kind, ...rest] = part.split(":");
  if (kind === "trait") return `Trait ${rest.join(":")}`;
  if (kind === "personality") return "Personality";
  if (kind === "verified") return "Verification of the wallet";
  return kind?.startsWith("linked-token") ? "Linked token" : fieldLabel(part);
}
