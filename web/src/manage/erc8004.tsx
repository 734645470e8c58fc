/** The agent's registration in the canonical ERC-8004 registry: its owner's wallet sends the transaction, and the page follows it until it is indexed. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { z } from "zod";
import type { crossRegistrationSchema } from "../../../api/schemas/updates.ts";
import { agentPath } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { detail } from "../directory/source.ts";
import { date, moment, short } from "../formats.ts";
import { Action, Button, useAttempt } from "../parts/button.tsx";
import { Address } from "../parts/copy.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Facts } from "../parts/panel.tsx";
import { Loading, NotYet } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { Note, OperationSteps, Refused, Stages, TopUp, useOperation } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import {
  type AskedTransaction,
  type CrossRegistrations,
  ether,
  hasHash,
  registrationsOf,
  type SentTransaction,
  stageOf,
  useGas,
  useSent,
} from "./registration.ts";
import { type SectionProps, Transactions } from "./write.tsx";

/** The stages of a registration in words. */
const STAGES = { sent: "Sent", mined: "In a block", indexed: "Indexed" } as const;

const STAGE_NOTES = {
  sent: "The transaction waits for its block. A reload of this page goes on with it.",
  mined: "It is in a block. The index reads it within seconds.",
} as const;

type PreparedRegistration = z.output<typeof crossRegistrationSchema>;

export default function Erc8004Section({ agent }: SectionProps) {
  return (
    <NeedsWallet addresses={[agent.owner]} who={`the token's owner ${short(agent.owner)}`}>
      <Registrations agent={agent} />
    </NeedsWallet>
  );
}

function Registrations({ agent }: { agent: Agent }) {
  const transaction = useSent(agent.tokenId);
  const { followed } = transaction;
  const { data: answer, error, refetch } = useQuery(registrationsOf(agent.tokenId, followed !== null));
  const op = useOperation<PreparedRegistration>({ name: `crossreg.${agent.tokenId}`, caller: "siwa" });
  if (!answer) return <NotYet error={error} refetch={refetch} rows={4} />;
  const data = answer.data;
  const own = data.registrations.filter(({ file }) => file !== "other");
  const prepare = (agentId: string | null) =>
    void op.run({
      path: `${agentPath(String(agent.tokenId))}/crossreg${agentId === null ? "" : `?agentId=${agentId}`}`,
    });
  const busy = op.busy || op.state.at === "done" || followed !== null;
  return (
    <>
      <section className="panel mint-step" aria-label="ERC-8004 registration">
        <h2>ERC-8004 registration</h2>
        <p className="muted">
          The canonical registry of agents on Base. The owner's wallet sends the transaction itself, so that the
          registration is the owner's. It holds a file with the agent's words, services and address here.
        </p>
        <Facts of={[["Registry", <Address address={data.registry} />]]} />
        {data.registrations.length > 0 && (
          <ul className="trait-list">
            {data.registrations.map((one) => (
              <RegistrationRow
                key={one.agentId}
                one={one}
                busy={busy}
                agent={agent}
                update={() => prepare(one.agentId)}
              />
            ))}
          </ul>
        )}
        {own.length === 0 && (
          <Action strong disabled={busy} onClick={() => prepare(null)}>
            Prepare the registration
          </Action>
        )}
      </section>
      {followed ? (
        <Progress transaction={transaction} known={data} followed={followed} />
      ) : (
        <OperationSteps
          op={op}
          done={(prepared) => (
            <Send
              prepared={prepared.canonicalRegistration}
              back={op.reset}
              send={async (call) => {
                await transaction.send(call);
                op.reset();
              }}
            />
          )}
        />
      )}
    </>
  );
}

type Call = PreparedRegistration["canonicalRegistration"];
/** What will be sent, what it says and what it costs, before the wallet opens. */
function Send({ prepared, send, back }: { prepared: Call; send: (call: Call) => Promise<void>; back: () => void }) {
  const address = useWallet()?.address ?? "";
  const { gas, look } = useGas(prepared);
  const { error, busy, run } = useAttempt();
  const poor = gas !== null && gas.held < gas.fee;
  return (
    <section className="panel mint-step" aria-label="Ready to send">
      <h2>Ready to send</h2>
      <p>Your wallet sends this transaction and pays its fee in ether on Base. Nothing is paid to the service.</p>
      <Facts
        of={[
          ["Call", prepared.method, { className: "mono wrap" }],
          ["To", prepared.to, { className: "mono wrap" }],
          ["Fee", gas ? `about ${ether(gas.fee)} ETH` : "your wallet shows it"],
          gas && ["You hold", `${ether(gas.held)} ETH`],
        ]}
      />
      {poor && (
        <TopUp address={address} look={look}>
          This account holds {ether(gas.held)} ETH on Base, and about {ether(gas.fee)} ETH are needed. Send the rest to
          this account, then look again:
        </TopUp>
      )}
      <details>
        <summary>The file that is published</summary>
        <pre className="code">{fileOf(prepared.dataURI)}</pre>
      </details>
      {error !== null && <Refused problem={error} />}
      <p className="actions">
        <Button strong disabled={busy || poor} onClick={() => run(() => send(prepared).finally(look))}>
          {busy ? "Confirm in your wallet" : "Send the transaction"}
        </Button>
        <Button disabled={busy} onClick={back}>
          Back
        </Button>
      </p>
    </section>
  );
}

/** The registration file inside of a data URI, for reading. */
function fileOf(dataURI: string): string {
  const bytes = Uint8Array.from(atob(dataURI.slice(dataURI.indexOf(",") + 1)), (letter) => letter.charCodeAt(0));
  return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2);
}

type ProgressProps = {
  followed: SentTransaction | AskedTransaction;
  transaction: ReturnType<typeof useSent>;
  known: CrossRegistrations;
};

/** From the question to the wallet to the index; the wallet's node knows the receipt, and the index the registration. */
function Progress({ followed, transaction, known }: ProgressProps) {
  const { stage, registration } = stageOf(followed, known);
  if (stage === "asked") return <Lost asked={followed as AskedTransaction} transaction={transaction} />;
  const hashes = hasHash(followed) ? [followed.hash] : [];
  if (stage === "reverted")
    return (
      <Note title="The chain refused it">
        <p>The transaction is in a block and changed nothing. Only the token's owner may send it.</p>
        <Transactions of={hashes} />
        <Action onClick={transaction.forget}>Close</Action>
      </Note>
    );
  return (
    <Note title={stage === "indexed" ? "Registered" : "The registration is on its way"} role="status">
      <Stages of={Object.values(STAGES)} now={Object.keys(STAGES).indexOf(stage) + 1} />
      <p>
        {stage === "indexed" && registration
          ? `It is agent ${registration.agentId} of the registry, and in the directory.`
          : STAGE_NOTES[stage]}
      </p>
      {transaction.error && stage === "sent" && <p className="muted">{transaction.error}</p>}
      <Transactions of={hashes} />
      <Action onClick={transaction.forget}>{stage === "indexed" ? "Close" : "Stop following it"}</Action>
    </Note>
  );
}

type LostProps = { asked: AskedTransaction; transaction: ReturnType<typeof useSent> };

/** The wallet was asked, and its answer is missing: what the chain shows, and nothing sent again without a click. */
const Lost = ({ asked, transaction: { trace, error, forget } }: LostProps) => (
  <Note title="Looking for your transaction" role="status">
    <p>
      Your wallet was asked to send it ({moment(new Date(asked.askedAt).toISOString())}), and this page did not get the
      answer.
    </p>
    {error && <p className="muted">{error}</p>}
    <p>
      {trace === "pending"
        ? "A transaction of your wallet is on its way. When it is in a block and it is this one, this page goes on with it."
        : trace === "other"
          ? "Your wallet has sent a transaction since, and the registry shows nothing of it: it was another one, or it failed."
          : "Your wallet has sent nothing since. If you confirmed it, it is found here within seconds. If you declined or closed the wallet, nothing was sent."}
    </p>
    <p className="muted">Begin again only if it was not sent. Two transactions are two fees, and two registrations.</p>
    <Action onClick={forget}>It was not sent: begin again</Action>
  </Note>
);

/** How a registration's file compares with the profile. */
const FILE_STATES = {
  current: "its file is up to date",
  outdated: "its file is older than the profile",
  other: "its file is not about this agent, or not on chain",
} as const;

type Registration = CrossRegistrations["registrations"][number];
type Props = { one: Registration; agent: Agent; busy: boolean; update: () => void };

const RegistrationRow = ({ one, agent, busy, update }: Props) => (
  <li>
    <a href={new URL(one.url).pathname + new URL(one.url).search}>Agent {one.agentId} there</a>
    <span className="muted">
      {FILE_STATES[one.file]} · {date(one.registeredAt)}
    </span>
    {one.owner.toLowerCase() !== agent.owner.toLowerCase() && one.file !== "current" ? (
      <span className="muted">Only its owner {short(one.owner)} can change its file.</span>
    ) : one.file === "outdated" ? (
      <Button disabled={busy} onClick={update}>
        Publish the present file
      </Button>
    ) : (
      one.file === "other" && <Replacement one={one} agent={agent} busy={busy} update={update} />
    )}
  </li>
);

/** A file of something else is replaced after a second click, which comes after what is there now. */
function Replacement({ one: { agentId }, agent, busy, update }: Props) {
  const [isOpen, open] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>Replace its file</summary>
      <div className="beside">
        {isOpen && <PresentFile agentId={agentId} />}
        <p className="muted">
          Registration {agentId} then says what the profile of {agent.name} says, in a file on chain. The registry
          follows the former file no more; where it is kept elsewhere, it stays there unchanged.
        </p>
        <Action disabled={busy} onClick={update}>
          Replace the file of {agentId}
        </Action>
      </div>
    </details>
  );
}

/** Where the registration's present file is, as the directory has it. */
function PresentFile({ agentId }: { agentId: string }): ReactNode {
  const { data, isPending } = useQuery(detail(agentId, "erc8004"));
  if (isPending) return <Loading rows={1} />;
  const uri = data?.data.erc8004?.agent_uri;
  if (uri === undefined) return <p>Where its file is now is not known here.</p>;
  if (uri === "") return <p>It has no file.</p>;
  if (uri.startsWith("data:") || uri.startsWith("{"))
    return (
      <p>
        Its file is on chain, and this page did not make it for this agent. It describes <bdi>{data!.data.name}</bdi>.
      </p>
    );
  return (
    <p>
      Its file is not on chain. It is at <OutLink text={uri} />.
    </p>
  );
}
