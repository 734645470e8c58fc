/** Registration by a browser's wallet. The page shows what is signed, and the price before the payment. */
import { useQuery } from "@tanstack/react-query";
import { Problem } from "../api/answer.ts";
import { discovery, pricing as pricingQuery } from "../api/queries.ts";
import type { Discovery } from "../api/types.ts";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { Form } from "./form.tsx";
import { useRegistration } from "./registration.ts";
import { Done, Pay, Refused, Undecided, Working } from "./steps.tsx";
import { useWallets } from "./wallet.ts";

export default function MintPage() {
  const { data: answer, error: noDiscovery, refetch } = useQuery(discovery);
  if (noDiscovery && !answer)
    return (
      <div className="page">
        <ProblemNote error={noDiscovery} retry={() => void refetch()} />
      </div>
    );
  if (!answer)
    return (
      <div className="page">
        <Loading />
      </div>
    );
  return <Registration auth={answer.data.auth} firstPricing={answer.data.pricing} />;
}

type Props = { auth: Discovery["auth"]; firstPricing: Discovery["pricing"] };

/** @param firstPricing prices of the discovery document, until the price list is loaded */
function Registration({ auth, firstPricing }: Props) {
  const [params] = useSearchParams();
  const pricing = useQuery(pricingQuery).data?.data ?? firstPricing;
  const wallets = useWallets();
  const free = Number(pricing.agentMint) === 0;
  const { step, submit, pay, again, back } = useRegistration(wallets, auth.agent.message, free);
  const problem = step.at === "form" ? step.problem : undefined;
  const faults = new Map(
    problem instanceof Problem ? problem.body.details?.map(({ path, message }) => [path, message]) : [],
  );
  return (
    <div className="page narrow">
      <div className="page-head">
        <div>
          <h1>Register an agent</h1>
          <p>
            The wallet that signs becomes the agent's identity. One agent per wallet.{" "}
            {free
              ? "Registration is free now."
              : `Registration costs ${pricing.agentMint} ${pricing.currency} on Base, paid by the same wallet.`}
          </p>
        </div>
        <ApiButton paths={["/api/v2/pricing"]} />
      </div>
      {step.at === "working" && <Working stage={step.stage} saying={step.saying} free={free} />}
      {step.at === "terms" && (
        <Pay terms={step.terms} refused={step.refused} pay={() => void pay(step.terms)} back={back} />
      )}
      {step.at === "undecided" && <Undecided problem={step.problem as Error} again={again} />}
      {step.at === "done" && <Done {...step.registered} />}
      {problem !== undefined && <Refused problem={problem} />}
      <div hidden={step.at !== "form" && step.at !== "working"}>
        <Form
          disabled={step.at === "working"}
          referralCode={params.get("ref") ?? ""}
          wallets={wallets}
          faults={faults}
          submit={(event) => void submit(event)}
        />
      </div>
    </div>
  );
}
