/** What a transfer of the agent's token ends and what it keeps, for its owner and for a buyer. */
import { useQuery } from "@tanstack/react-query";
import { count } from "../formats.ts";
import { Address } from "../parts/copy.tsx";
import { Facts } from "../parts/panel.tsx";
import { profileOf, type SectionProps, scoreWith } from "./write.tsx";

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export default function TransferSection({ agent }: SectionProps) {
  const profile = useQuery(profileOf(agent.tokenId)).data?.data;
  const lost = profile && agent.coinbaseVerified ? scoreWith(profile, { coinbase: 0 }) : null;
  const keepsControl = !same(agent.owner, agent.agentAddress);
  return (
    <section className="panel mint-step transfer" aria-label="Transfer">
      <h2>Transfer</h2>
      {agent.soulbound ? (
        <p className="note-line">This token is soulbound: no transfer of it is possible.</p>
      ) : (
        <p className="muted">This page sends nothing. A transfer is made by the owner's wallet or by a marketplace.</p>
      )}
      <Facts
        of={[
          ["Owner", <Address address={agent.owner} />],
          ["Agent's wallet", <Address address={agent.agentAddress} />],
        ]}
      />
      <List
        title="What a transfer ends"
        items={[
          "The former owner's right to change anything, as soon as the transfer is indexed, unless the agent's wallet is the same.",
          "Writes on chain that the former owner asked for and that are not sent yet.",
          "The link to a human or an organization, for ever: it does not come back with the token.",
          agent.coinbaseVerified && lost !== null
            ? `The exchange's attestation counts for the present owner only: the score goes from ${count(profile!.cred.score)} to ${count(lost)} until the new owner claims one.`
            : "An exchange's attestation, which counts for the present owner only. This agent has none now.",
        ]}
      />
      <List
        title="What it keeps"
        items={[
          "Words, personality, traits, what it offers, its linked token and its .agent name.",
          "Proven accounts, shown as an earlier owner's until they are proved again. They are checked every day, and lapse when the text there is taken away.",
          "Age, points, history of the score, messages and handshakes.",
          "Its referral code, and what came by it.",
        ]}
      />
      <List
        title="What a buyer has to know"
        items={[
          keepsControl
            ? "The agent's wallet stays the same and keeps its rights: it may change the profile, write in groups and prove accounts. The new owner can name another wallet on the contract (setAgentWallet)."
            : "The agent's wallet stays the seller's and keeps its rights: it may change the profile, write in groups and prove accounts. The new owner can name another wallet on the contract (setAgentWallet).",
          ...(keepsControl || agent.verified
            ? []
            : [
                "This wallet is not verified: after a transfer nothing but its registration may confirm that the agent's wallet is the agent's.",
              ]),
          "A registration in the ERC-8004 registry stays with the seller: it is a token of its own, and moves only by a transfer there.",
          "What a transfer ended stays ended when the token comes back; the exchange's attestation counts again.",
        ]}
      />
    </section>
  );
}

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
