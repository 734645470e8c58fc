/** Registration by the connected wallet: what it costs, the form, the payment, and the way through mint and index to the card. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { asked, discovery } from "../api/queries.ts";
import type { Discovery, PendingMint, Prices, Registration } from "../api/types.ts";
import { Fact, PageHead, PageNotYet } from "../parts/panel.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { ConnectWallet } from "../wallet/needs-wallet.tsx";
import { OperationSteps, Receiver, type RunningOperation, useOperation } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import "../styles/mint.css";
import { useOg, WalletRemark } from "./checks.tsx";
import { forgetTyped, MintForm } from "./form.tsx";
import { Following, keepAccepted, NotRegistered, type StepKey, StepsTo, useAccepted } from "./steps.tsx";

const PATH = "/api/v2/mint";
const PRICING = "/api/v2/pricing";
/** Prices may change while a page is open. */
const prices = { ...asked<Prices>(PRICING), refetchInterval: 60_000 };

type Answer = Registration | PendingMint;

export default function MintPage() {
  const { data: answer, error, refetch } = useQuery(discovery);
  if (!answer) return <PageNotYet error={error} refetch={refetch} />;
  return (
    <div className="page narrow">
      <Mint firstPrices={answer.data.pricing} />
    </div>
  );
}

function arrived(answer: Answer, address: string | null): void {
  keepAccepted(answer, address);
  forgetTyped();
}

/** @param firstPrices of the discovery document, until the price list is loaded */
function Mint({ firstPrices }: { firstPrices: Discovery["pricing"] }) {
  const [params] = useSearchParams();
  const wallet = useWallet();
  const pricing = useQuery(prices).data?.data ?? firstPrices;
  const og = useOg(wallet);
  const free =
    Number(pricing.agentMint) === 0
      ? "Registration is free now."
      : og
        ? `Free, once: this wallet held the V1 identity ${og.v1Name}.`
        : null;
  const op = useOperation<Answer>({ name: "mint", caller: "siwa", arrived });
  const { accepted, minted, forget } = useAccepted(wallet?.address);
  const { state } = op;
  const writing = !accepted && (state.at === "idle" || state.at === "refused");
  useEffect(() => {
    // The form is longer than what follows it.
    if (!writing) window.scrollTo(0, 0);
  }, [writing]);
  return (
    <>
      <PageHead
        title="Register an agent"
        lead="The wallet that signs becomes the agent's identity. One agent per wallet."
        beside={<ApiButton paths={[PRICING]} />}
      />
      {accepted ? (
        <Following
          accepted={accepted}
          free={free !== null}
          minted={minted}
          forget={() => {
            forget();
            op.reset();
          }}
        />
      ) : (
        <Progress op={op} free={free !== null} />
      )}
      {!accepted && (
        <div className="mint-writing" hidden={!writing}>
          <Costs prices={pricing} free={free} />
          {wallet && <WalletRemark wallet={wallet} />}
          <MintForm
            referralCode={params.get("ref") ?? ""}
            faults={op.faults}
            submit={(body) => void op.run({ path: PATH, body })}
            does={free === null ? "Sign and see the price" : "Sign and register"}
            instead={
              !wallet && (
                <>
                  <p className="muted">
                    Connect the wallet that becomes the agent's identity. What you have typed stays.
                  </p>
                  <ConnectWallet />
                </>
              )
            }
          />
        </div>
      )}
    </>
  );
}

const SETTLED_MS = 1_000;

/** The step of the registration that a request is at; null while none is under way. */
function useStep({ state, settled }: RunningOperation<Answer>, free: boolean): StepKey | null {
  const settling = state.at === "undecided" || (state.at === "working" && state.stage === "settlement");
  const onChain = useQuery({
    queryKey: ["settled", state.at],
    queryFn: settled,
    enabled: settling && !free,
    refetchInterval: SETTLED_MS,
    gcTime: 0,
  });
  if (settling) return free || onChain.data ? "mint" : "settle";
  if (state.at === "terms") return "pay";
  if (state.at !== "working") return null;
  if (state.stage === "payment") return "pay";
  return state.stage === "request" && free ? "mint" : "sign";
}

/** The request under way, with its step among the steps. */
function Progress({ op, free }: { op: RunningOperation<Answer>; free: boolean }) {
  const step = useStep(op, free);
  return (
    <>
      {step && <StepsTo at={step} free={free} />}
      <OperationSteps
        op={op}
        refused={(problem) => <NotRegistered problem={problem} />}
        about={
          <p>
            It pays for the registration. The mint and all gas are included, and the service begins only after the
            payment.
          </p>
        }
      />
    </>
  );
}

/** What a registration costs, and who is paid, before the wallet opens. @param props.free why nothing is paid, where nothing is */
function Costs({ prices, free }: { prices: Pick<Prices, "agentMint"> & Partial<Prices>; free: string | null }) {
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
