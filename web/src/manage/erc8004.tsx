/** The agent's registration in the canonical ERC-8004 registry: its owner's wallet sends the transaction, and the page follows it until it is indexed. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { z } from "zod";
import type { crossRegistrationSchema } from "../../../api/schemas/registries.ts";
import { agentPath } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { moment, short } from "../formats.ts";
import { Address } from "../parts/address.tsx";
import { Copy } from "../parts/copy.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { say } from "../say.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { OperationSteps, Refused, useOperation } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import { ether, useGas } from "./gas.ts";
import {
  type AskedTransaction,
  type CrossRegistrations,
  hasHash,
  registrationsOf,
  type SentTransaction,
  stageOf,
  useSent,
} from "./registration.ts";
import { RegistrationRow } from "./registration-row.tsx";
import type { SectionProps } from "./section-props.ts";
import { explorerOf, Transactions } from "./write.tsx";

type PreparedRegistration = z.output<typeof crossRegistrationSchema>;

export default function Erc8004Section({ agent }: SectionProps) {
  return (
    <NeedsWallet addresses={[agent.owner]} who={say("manage.theOwner", { address: short(agent.owner) })}>
      <Registrations agent={agent} />
    </NeedsWallet>
  );
}

function Registrations({ agent }: { agent: Agent }) {
  const transaction = useSent(agent.tokenId);
  const { followed } = transaction;
  const { data: answer, error, refetch } = useQuery(registrationsOf(agent.tokenId, followed !== null));
  const op = useOperation<PreparedRegistration>({ name: `crossreg.${agent.tokenId}`, caller: "siwa" });
  if (!answer) return error ? <ProblemNote error={error} retry={() => void refetch()} /> : <Loading rows={4} />;
  const explorer = explorerOf(agent);
  const known = answer.data;
  const own = known.registrations.filter(({ file }) => file !== "other");
  const prepare = (agentId: string | null) =>
    void op.run({
      method: "POST",
      path: `${agentPath(String(agent.tokenId))}/crossreg${agentId === null ? "" : `?agentId=${agentId}`}`,
    });
  const busy = op.state.at === "working" || op.state.at === "done" || followed !== null;
  return (
    <>
      <section className="panel mint-step" aria-label={say("manage.erc8004")}>
        <h2>{say("manage.erc8004")}</h2>
        <p className="muted">{say("manage.erc8004Lead")}</p>
        <dl className="facts tall">
          <div>
            <dt>{say("manage.registry")}</dt>
            <dd>
              <Address address={known.registry} explorer={explorer} />
            </dd>
          </div>
        </dl>
        {known.registrations.length > 0 && (
          <ul className="trait-list">
            {known.registrations.map((one) => (
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
          <p className="actions">
            <button type="button" className="button strong" disabled={busy} onClick={() => prepare(null)}>
              {say("manage.registerThere")}
            </button>
          </p>
        )}
      </section>
      {followed ? (
        <Progress transaction={transaction} known={known} explorer={explorer} followed={followed} />
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
type SendProps = { prepared: Call; send: (call: Call) => Promise<void>; back: () => void };

/** What will be sent, what it says and what it costs, before the wallet opens. */
function Send({ prepared, send, back }: SendProps) {
  const address = useWallet()?.address ?? "";
  const { gas, look } = useGas(prepared);
  const { trouble, busy, run } = useAttempt();
  const poor = gas !== null && gas.held < gas.fee;
  return (
    <section className="panel mint-step" aria-label={say("manage.sendIt")}>
      <h2>{say("manage.sendIt")}</h2>
      <p>{say("manage.sendItNote")}</p>
      <dl className="facts tall">
        <div>
          <dt>{say("manage.call")}</dt>
          <dd className="mono wrap">{prepared.method}</dd>
        </div>
        <div>
          <dt>{say("operation.to")}</dt>
          <dd className="mono wrap">{prepared.to}</dd>
        </div>
        <div>
          <dt>{say("manage.fee")}</dt>
          <dd>{gas ? say("manage.about", { amount: ether(gas.fee) }) : say("manage.feeUnknown")}</dd>
        </div>
        {gas && (
          <div>
            <dt>{say("operation.held")}</dt>
            <dd>{say("manage.ether", { amount: ether(gas.held) })}</dd>
          </div>
        )}
      </dl>
      {poor && (
        <div className="note-line" role="alert">
          <p>{say("manage.noEther", { fee: ether(gas.fee), held: ether(gas.held) })}</p>
          <p className="mono wrap">
            {address} <Copy text={address} />
          </p>
          <button type="button" className="button" onClick={look}>
            {say("operation.lookAgain")}
          </button>
        </div>
      )}
      <details>
        <summary>{say("manage.fileContent")}</summary>
        <pre className="code">{fileOf(prepared.dataURI)}</pre>
      </details>
      {trouble !== null && <Refused problem={trouble} />}
      <p className="actions">
        <button
          type="button"
          className="button strong"
          disabled={busy || poor}
          onClick={() => run(() => send(prepared).finally(look))}
        >
          {say(busy ? "manage.openWallet" : "manage.sendNow")}
        </button>
        <button type="button" className="button" disabled={busy} onClick={back}>
          {say("operation.back")}
        </button>
      </p>
    </section>
  );
}

/** One attempt at a time, with the reason why the last one failed. */
function useAttempt() {
  const [trouble, setTrouble] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const run = (attempt: () => Promise<void>) => {
    setBusy(true);
    setTrouble(null);
    attempt()
      .catch(setTrouble)
      .finally(() => setBusy(false));
  };
  return { trouble, busy, run };
}

/** The registration file inside of a data URI, for reading. */
function fileOf(dataURI: string): string {
  const bytes = Uint8Array.from(atob(dataURI.slice(dataURI.indexOf(",") + 1)), (letter) => letter.charCodeAt(0));
  return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2);
}

const STAGES = ["sent", "mined", "indexed"] as const;

type ProgressProps = {
  followed: SentTransaction | AskedTransaction;
  transaction: ReturnType<typeof useSent>;
  known: CrossRegistrations;
  explorer: string;
};

/** From the question to the wallet to the index; the wallet's node knows the receipt, and the index the registration. */
function Progress({ followed, transaction, known, explorer }: ProgressProps) {
  const { stage, registration } = stageOf(followed, known);
  if (stage === "asked") return <Lost asked={followed as AskedTransaction} transaction={transaction} />;
  const hashes = hasHash(followed) ? [followed.hash] : [];
  const at = STAGES.indexOf(stage as (typeof STAGES)[number]);
  if (stage === "reverted")
    return (
      <section className="panel mint-step" role="alert">
        <h2>{say("manage.reverted")}</h2>
        <p>{say("manage.revertedNote")}</p>
        <Transactions of={hashes} explorer={explorer} />
        <Close close={transaction.forget} />
      </section>
    );
  return (
    <section className="panel mint-step" role="status">
      <h2>{say(stage === "indexed" ? "manage.registered" : "manage.registering")}</h2>
      <ol className="stages">
        {STAGES.map((one, i) => (
          <li key={one} data-state={i <= at ? "done" : i === at + 1 ? "now" : undefined}>
            {say(`manage.stage.${one}`)}
          </li>
        ))}
      </ol>
      <p>
        {stage === "indexed" && registration
          ? say("manage.registeredNote", { id: registration.agentId })
          : say(`manage.stageNote.${stage as "sent" | "mined"}`)}
      </p>
      {transaction.trouble && stage === "sent" && <p className="muted">{transaction.trouble}</p>}
      <Transactions of={hashes} explorer={explorer} />
      <Close close={transaction.forget} waiting={stage !== "indexed"} />
    </section>
  );
}

type LostProps = { asked: AskedTransaction; transaction: ReturnType<typeof useSent> };

/** The wallet was asked, and its answer is missing: what the chain shows, and nothing sent again without a click. */
const Lost = ({ asked, transaction: { trace, trouble, forget } }: LostProps) => (
  <section className="panel mint-step" role="status">
    <h2>{say("manage.lost")}</h2>
    <p>{say("manage.lostNote", { time: moment(new Date(asked.askedAt).toISOString()) })}</p>
    {trouble && <p className="muted">{trouble}</p>}
    <p>
      {trace === "pending"
        ? say("manage.lost.pending")
        : trace === "other"
          ? say("manage.lost.other")
          : say("manage.lost.none")}
    </p>
    <p className="muted">{say("manage.lostAgainNote")}</p>
    <p className="actions">
      <button type="button" className="button" onClick={forget}>
        {say("manage.lostAgain")}
      </button>
    </p>
  </section>
);

const Close = ({ close, waiting = false }: { close: () => void; waiting?: boolean }) => (
  <p className="actions">
    <button type="button" className="button" onClick={close}>
      {say(waiting ? "manage.stopWaiting" : "manage.close")}
    </button>
  </p>
);
