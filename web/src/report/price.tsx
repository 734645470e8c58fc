/** A report for sale: what it has, what it costs and who is paid, before a wallet opens. */
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/answer.ts";
import { agentPath, discovery } from "../api/queries.ts";
import type { CredReport, Prices } from "../api/types.ts";
import { useReceiver } from "../mint/costs.tsx";
import { Address } from "../parts/address.tsx";
import { Action } from "../parts/button.tsx";
import { NotYet } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import type { RunningOperation } from "../wallet/operation.tsx";

/** What a full report has. */
const CONTENTS = [
  "The evidence for every point, each with the place where it can be looked up",
  "Rank, percentile and the score's history",
  "What would raise the score, by how many points",
  "What to weigh before you trust the agent: payments, jobs, reviews and endpoints among it",
  "A signed receipt: anyone you send the report to can check it offline",
];

const PRICING = "/api/v2/pricing";
const prices = { queryKey: [PRICING], queryFn: get<Prices>(PRICING), refetchInterval: 60_000 };

/** @param again whether one was bought before */
export function ReportPrice({
  tokenId,
  again,
  op,
}: {
  tokenId: number;
  again: boolean;
  op: RunningOperation<CredReport>;
}) {
  const { data: answer, error, refetch } = useQuery(prices);
  const receiver = useReceiver("GET", "/api/v2/agent/:ref/cred-report");
  const explorer = useQuery(discovery).data?.data.explorer;
  if (!answer) return <NotYet error={error} refetch={refetch} rows={4} />;
  const price = answer.data.credReport;
  const free = Number(price) === 0;
  const path = `${agentPath(String(tokenId))}/cred-report`;
  const buy = (
    <Action strong onClick={() => void op.run({ method: "GET", path })}>
      {free ? "Get the report" : again ? `Buy a newer one for ${price} USDC` : `Buy for ${price} USDC`}
    </Action>
  );
  return (
    <section className="panel stack report-offer no-print" aria-labelledby="report-offer">
      <h2 id="report-offer">
        {free
          ? "A full report, free now"
          : again
            ? `A newer report for ${price} USDC`
            : `A full report for ${price} USDC`}
      </h2>
      {!again && (
        <ul className="report-has">
          {CONTENTS.map((part) => (
            <li key={part}>{part}</li>
          ))}
        </ul>
      )}
      {!free && (
        <p className="muted">
          {receiver ? (
            <>
              {price} USDC go to <Address address={receiver} explorer={explorer} />, by a signature of your wallet
              (x402). You need no ether.
            </>
          ) : (
            `${price} USDC go to the service, by a signature of your wallet (x402). You need no ether.`
          )}
        </p>
      )}
      {free ? buy : <NeedsWallet>{buy}</NeedsWallet>}
    </section>
  );
}
