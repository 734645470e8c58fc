/** What a registration costs, and who is paid, before the wallet opens: fee, the contract's own price, gas. */
import type { ReactNode } from "react";
import type { Prices } from "../api/types.ts";
import { Fact } from "../parts/panel.tsx";
import { Receiver } from "../wallet/operation.tsx";

/** @param free why nothing is paid, where nothing is */
export function Costs({ prices, free }: { prices: Pick<Prices, "agentMint"> & Partial<Prices>; free: string | null }) {
  const direct = prices.directMint;
  const rows: [label: string, amount: string, note: ReactNode][] = [
    [
      "Registration",
      free === null ? `${prices.agentMint} USDC` : "Nothing",
      free ?? (
        <>
          Paid once to <Receiver method="POST" path="/api/v2/mint" />, by a signature of your wallet (x402).
        </>
      ),
    ],
    [
      "The contract's own price",
      "Nothing",
      direct?.price && Number(direct.price) > 0
        ? `${direct.price} ${direct.currency} are for those who call the contract themselves. The service mints for you.`
        : "The service calls the contract for you.",
    ],
    [
      "Gas",
      "Nothing",
      free === null
        ? "The service pays for the mint, the facilitator for the payment. You need no ether."
        : "The service pays for the mint. You need no ether.",
    ],
  ];
  return (
    <section className="panel costs" aria-labelledby="costs">
      <h2 id="costs">What it costs</h2>
      <dl>
        {rows.map(([label, amount, note]) => (
          <Fact key={label} label={label}>
            <b>{amount}</b>
            <span className="muted">{note}</span>
          </Fact>
        ))}
      </dl>
    </section>
  );
}
