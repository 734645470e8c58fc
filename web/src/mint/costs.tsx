/** What a registration costs, and who is paid, before the wallet opens: fee, the contract's own price, gas. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { get } from "../api/answer.ts";
import { discovery } from "../api/queries.ts";
import type { Prices, X402Manifest } from "../api/types.ts";
import { Address } from "../parts/copy.tsx";
import { Fact } from "../parts/panel.tsx";

const manifest = { queryKey: ["x402"], queryFn: get<X402Manifest>("/.well-known/x402.json") };

/** Who is paid for an operation, by today's terms; null while it costs nothing or nothing is known. */
export function useReceiver(method: string, path: string): string | null {
  const { data: answer } = useQuery(manifest);
  const item = answer?.data.items.find(({ input }) => input.method === method && input.routeTemplate === path);
  return item?.accepts[0]?.payTo ?? null;
}

/** @param free why nothing is paid, where nothing is */
export function Costs({ prices, free }: { prices: Pick<Prices, "agentMint"> & Partial<Prices>; free: string | null }) {
  const receiver = useReceiver("POST", "/api/v2/mint");
  const explorer = useQuery(discovery).data?.data.explorer;
  const direct = prices.directMint;
  const rows: [label: string, amount: string, note: ReactNode][] = [
    [
      "Registration",
      free === null ? `${prices.agentMint} USDC` : "Nothing",
      free ??
        (receiver ? (
          <>
            Paid once to <Address address={receiver} explorer={explorer} />, by a signature of your wallet (x402).
          </>
        ) : (
          "Paid once to the service, by a signature of your wallet (x402)."
        )),
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
