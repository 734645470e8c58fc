/** What a transfer of the agent's token ends and what it keeps, for its owner and for a buyer. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Address } from "../parts/address.tsx";
import { say } from "../say.tsx";
import { profileOf, scoreWith } from "./profile.ts";
import type { SectionProps } from "./section-props.ts";
import { explorerOf } from "./write.tsx";

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export default function TransferSection({ agent }: SectionProps) {
  const profile = useQuery(profileOf(agent.tokenId)).data?.data;
  const explorer = explorerOf(agent);
  const lost = profile && agent.coinbaseVerified ? scoreWith(profile, { coinbase: 0 }) : null;
  const keepsControl = !same(agent.owner, agent.agentAddress);
  return (
    <section className="panel mint-step transfer" aria-label={say("manage.transfer")}>
      <h2>{say("manage.transfer")}</h2>
      {agent.soulbound ? (
        <p className="note-line">{say("manage.soulbound")}</p>
      ) : (
        <p className="muted">{say("manage.transferLead")}</p>
      )}
      <dl className="facts tall">
        <Fact label={say("manage.owner")}>
          <Address address={agent.owner} explorer={explorer} />
        </Fact>
        <Fact label={say("manage.agentWallet")}>
          <Address address={agent.agentAddress} explorer={explorer} />
        </Fact>
      </dl>
      <List
        title={say("manage.ends")}
        items={[
          say("manage.ends.rights"),
          say("manage.ends.queued"),
          say("manage.ends.links"),
          agent.coinbaseVerified && lost !== null
            ? say("manage.ends.attestation", { now: profile!.cred.score, after: lost })
            : say("manage.ends.attestationNone"),
        ]}
      />
      <List
        title={say("manage.keeps")}
        items={[
          say("manage.keeps.words"),
          say("manage.keeps.proofs"),
          say("manage.keeps.score"),
          say("manage.keeps.referral"),
        ]}
      />
      <List
        title={say("manage.buyer")}
        items={[
          say(keepsControl ? "manage.buyer.wallet" : "manage.buyer.sameWallet"),
          ...(keepsControl || agent.verified ? [] : [say("manage.buyer.unconfirmed")]),
          say("manage.buyer.erc8004"),
          say("manage.buyer.back"),
        ]}
      />
    </section>
  );
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const List = ({ title, items }: { title: string; items: string[] }) => (
  <div>
    <h3>{title}</h3>
    <ul className="bullets">
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  </div>
);
