/** Where a change is written, off chain or on chain, with what that costs; and the writes on chain that are under way. */
import { moment } from "../formats.ts";
import { Icon } from "../parts/icon.tsx";
import { say } from "../say.tsx";
import { isUnderWay, type Profile } from "./profile.ts";
import { Transactions } from "./write.tsx";

export type Storage = "offchain" | "onchain";

type Props = {
  profile: Profile;
  storage: Storage;
  choose: (storage: Storage) => void;
  /** Transactions that the change needs on chain. */
  parts: number;
  /** Of them, how many the contract takes its price of a trait for. */
  traits?: number;
  /** Whether the connected wallet owns the token and is not the agent's own. */
  byOwner: boolean;
};

/** Why the service would not write this on chain now; null when it would. */
export function refusalOf({ cost }: Profile, parts: number, traits = 0): string | null {
  if (!cost.funded) return say("manage.unfunded");
  if (parts > cost.partsLeft) return say("manage.noAllowance", { left: cost.partsLeft, max: cost.partsMax });
  return traits > 0 && !cost.traitsPayable ? say("manage.traitTooDear", { price: cost.traitPrice ?? "" }) : null;
}

export function StorageChoice({ profile, storage, choose, parts, traits = 0, byOwner }: Props) {
  const { cost } = profile;
  const refusal = refusalOf(profile, parts, traits);
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
  return (
    <fieldset className="storage">
      <legend className="label">{say("manage.storage")}</legend>
      {option("offchain", say("manage.offchain"), say(byOwner ? "manage.offchainByLine" : "manage.offchainNote"))}
      {option(
        "onchain",
        say("manage.onchain"),
        refusal ??
          (parts === 0
            ? say("manage.onchainIdle")
            : say("manage.onchainNote", { n: parts, left: cost.partsLeft, max: cost.partsMax })),
      )}
      <p className="muted" aria-live="polite">
        {Number(cost.price) > 0 ? say("manage.price", { amount: cost.price }) : say("manage.free")}
        {storage === "onchain" && traits > 0 && cost.traitPrice !== null && Number(cost.traitPrice) > 0 && (
          <> {say("manage.traitPrice", { price: cost.traitPrice })}</>
        )}
      </p>
    </fieldset>
  );
}

/** Writes on chain that the index does not have yet, and those that the chain refused. */
export function Writing({ profile, explorer }: { profile: Profile; explorer: string }) {
  const { writing } = profile;
  if (writing.length === 0) return null;
  return (
    <section className="panel mint-step" aria-label={say("manage.writing")}>
      <h2>{say("manage.writing")}</h2>
      <ul className="writing" role="status">
        {writing.map((write) => (
          <li key={write.part} data-state={write.state}>
            <b>
              <bdi>{partLabel(write.part)}</bdi>
            </b>
            <span className={isUnderWay(write) ? "muted" : "warn-text"}>
              {!isUnderWay(write) && <Icon name="warn" />} {say(`manage.state.${write.state}`)}
              <span className="faint"> · {moment(write.acceptedAt)}</span>
            </span>
            {write.txHash && <Transactions of={[write.txHash]} explorer={explorer} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `trait:patient` as people read it. */
function partLabel(part: string): string {
  const [kind, ...rest] = part.split(":");
  if (kind === "trait") return say("manage.part.trait", { name: rest.join(":") });
  if (kind === "personality") return say("manage.part.personality");
  if (kind === "verified") return say("manage.part.verified");
  return kind?.startsWith("linked-token") ? say("manage.part.token") : fieldLabel(part);
}

const LABELS = {
  "narrative.origin": "manage.field.origin",
  "narrative.mission": "manage.field.mission",
  "narrative.lore": "manage.field.lore",
  "narrative.manifesto": "manage.field.manifesto",
  "personality.quirks": "manage.field.quirks",
  "personality.communicationStyle": "manage.field.style",
  "personality.values": "manage.field.values",
  "personality.humor": "manage.field.humor",
  "personality.riskTolerance": "manage.field.risk",
  "personality.autonomyLevel": "manage.field.autonomy",
  "social.twitter": "manage.field.x",
  "social.github": "manage.field.github",
  "social.website": "manage.field.website",
  services: "manage.field.services",
  skills: "manage.field.skills",
  domains: "manage.field.domains",
  metadata: "manage.field.metadata",
} as const;

/** The name of a field by its path; the path itself for one that has none. */
export const fieldLabel = (path: string): string => (path in LABELS ? say(LABELS[path as keyof typeof LABELS]) : path);
