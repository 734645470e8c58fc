/** A report for sale: what it has, what it costs and who is paid, before a wallet opens. */
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/answer.ts";
import { agentPath, discovery } from "../api/queries.ts";
import type { CredReport, Prices } from "../api/types.ts";
import { useReceiver } from "../mint/costs.tsx";
import { Address } from "../parts/address.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import type { RunningOperation } from "../wallet/operation.tsx";

const PRICING = "/api/v2/pricing";
const prices = { queryKey: [PRICING], queryFn: get<Prices>(PRICING), refetchInterval: 60_000 };
const HAS = ["evidence", "history", "advice", "risks", "receipt"] as const;

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
  if (error && !answer) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!answer) return <Loading rows={4} />;
  const price = answer.data.credReport;
  const free = Number(price) === 0;
  const path = `${agentPath(String(tokenId))}/cred-report`;
  const buy = (
    <p className="actions">
      <button type="button" className="button strong" onClick={() => void op.run({ method: "GET", path })}>
        {free ? say("report.get") : say(again ? "report.buyNewer" : "report.buy", { price })}
      </button>
    </p>
  );
  return (
    <section className="panel stack report-offer no-print" aria-labelledby="report-offer">
      <h2 id="report-offer">
        {free ? say("report.offerFree") : say(again ? "report.offerNewer" : "report.offer", { price })}
      </h2>
      {!again && (
        <ul className="report-has">
          {HAS.map((part) => (
            <li key={part}>{say(`report.has.${part}`)}</li>
          ))}
        </ul>
      )}
      {!free && (
        <p className="muted">
          {receiver ? (
            <Say k="report.paidTo" price={price} to={() => <Address address={receiver} explorer={explorer} />} />
          ) : (
            say("report.paidToService", { price })
          )}
        </p>
      )}
      {free ? buy : <NeedsWallet>{buy}</NeedsWallet>}
    </section>
  );
}
