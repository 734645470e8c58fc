/** What an agent's wallet was paid: all payments and the organic ones side by side, why the others are not, and the newest of them. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { pagesOf } from "../api/queries.ts";
import type { AgentPayments } from "../api/types.ts";
import { count, counted } from "../formats.ts";
import { More } from "../parts/button.tsx";
import { Address } from "../parts/copy.tsx";
import { usdcExact } from "../parts/evidence.tsx";
import { Party } from "../parts/party.tsx";
import { NotYet } from "../parts/states.tsx";
import { backlogOf, Removed, Sums, TransactionOn, Why, Windows } from "./raw-organic.tsx";

export const paymentsPath = (agentRef: string, platform: string): string =>
  `/api/v2/agent/${encodeURIComponent(agentRef)}/payments?platform=${platform}&limit=5`;

/** The payments at a path. A page requests them with the rest, so that their card appears at once, also without payments. */
export const paymentPages = (path: string) => pagesOf<AgentPayments>(path, "cursor", (page) => page.nextCursor);

/** `path`: of the payments in the API, with its query. */
export function Payments({ path, explorer }: { path: string; explorer: string }) {
  const { data, error, refetch, ...more } = useInfiniteQuery(paymentPages(path));
  // Of most agents there is one sentence to say, which takes as much room.
  if (!data) return <NotYet error={error} refetch={refetch} rows={1} />;
  const [{ data: income, block }] = data.pages as [(typeof data.pages)[number]];
  const { wallet, walletAgents, readTo, windows } = income;
  if (wallet === null)
    return <p className="muted">Its registry has shown no wallet to be its own: what it was paid is not known.</p>;
  if (readTo === null)
    return (
      <p className="muted">The payments to its wallet are not read yet. A new wallet is followed within ten minutes.</p>
    );
  const longest = windows.at(-1)!;
  const behind = backlogOf(block, readTo);
  return (
    <div className="stack">
      {longest.raw.payments === 0 ? (
        <p className="muted">Nothing was paid to its wallet in {count(longest.days)} days.</p>
      ) : (
        <>
          <Sums of={longest} by={({ payers }) => `USDC by ${counted(payers, "payer", "payers")}`} />
          <Windows
            of={windows}
            money={[["Given back", (window) => window.raw.refunds.usdc]]}
            counts={[
              ["Payments", ({ payments }) => payments],
              ["Payers", ({ payers }) => payers],
              ["Repeat payers", ({ repeatPayers }) => repeatPayers],
            ]}
          />
          <Removed of={longest.removed} number={({ payments }) => counted(payments, "payment", "payments")} />
          <h3>Newest payments</h3>
          <ul className="reviews income-list">
            {data.pages
              .flatMap((page) => page.data.payments)
              .map((payment) => (
                <Line key={`${payment.block} ${payment.logIndex}`} of={payment} explorer={explorer} />
              ))}
          </ul>
          <More {...more} />
        </>
      )}
      {walletAgents > 1 && (
        <p className="muted">
          {counted(walletAgents, "agent has this wallet", "agents have this wallet: nobody can say which was paid")}.
        </p>
      )}
      {behind !== null && (
        <p className="muted">The newest {behind === 1 ? "block is" : `${count(behind)} blocks are`} not read yet.</p>
      )}
      <p className="faint">
        What payers signed over to <Address address={wallet} explorer={explorer} /> in USDC, as by x402, up to block{" "}
        {count(readTo)}. A reason is no verdict: <Link href="/docs/guide/income">how payments count</Link>.
      </p>
    </div>
  );
}

type Payment = AgentPayments["payments"][number];

const Line = ({ of, explorer }: { of: Payment; explorer: string }) => (
  <li data-counts={of.organic || undefined}>
    <b className="review-value">{usdcExact(of.usdc)}</b>
    <div className="review-who">
      <p className="review-head">
        <Party address={of.payer} explorer={explorer} />
        <TransactionOn hash={of.txHash} at={of.paidAt} explorer={explorer} />
      </p>
      <Why of={of.removed} explorer={explorer} />
    </div>
  </li>
);
