/** Whether to pay the agent: the service's verdict with its reasons and their evidence, for an amount that the reader names. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { rowRef } from "../../../core/directory/platforms.ts";
import { call } from "../api/answer.ts";
import type { Preflight } from "../api/types.ts";
import { age } from "../formats.ts";
import { usdcExact } from "../parts/evidence.tsx";
import { Form, faultsOf } from "../parts/form.tsx";
import { Party } from "../parts/party.tsx";
import { NotYet } from "../parts/states.tsx";
import { AgentPanel } from "./agent-panel.tsx";

const VERDICTS = {
  allow: ["Pay", "proven"],
  unrated: ["Not known enough", "stale"],
  review: ["Look first", "stale"],
  deny: ["Do not pay", "lapsed"],
} as const;
const EFFECTS = { allow: "For it.", unrated: "Not known.", review: "Weak.", deny: "Against it." };

/** The verdict on an agent of the directory. @param amount decimal USDC; empty for none */
export const preflightOf = (agentRef: string, platform: string, amount: string) => ({
  queryKey: ["preflight", platform, agentRef, amount],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    call<Preflight>("/api/v2/preflight", {
      ...{ method: "POST", signal, headers: { "content-type": "application/json" } },
      body: JSON.stringify({ agent: rowRef(platform, agentRef), ...(amount && { amount }) }),
    }),
});

type Props = { of: { agentRef: string; platform: string } };

export function BeforeYouPay({ of: { agentRef, platform } }: Props) {
  const [amount, setAmount] = useState("");
  const request = preflightOf(agentRef, platform, amount);
  const { data, error, refetch } = useQuery({ ...request, placeholderData: keepPreviousData });
  const faults = faultsOf(error);
  return (
    <AgentPanel id="preflight" title="Before you pay" brief="whether, and how much">
      <div className="stack">
        <Form
          className="check-form"
          label="Whether to pay an amount"
          fields={[{ name: "amount", label: "Amount in USDC", placeholder: "0.05", max: 20, optional: true }]}
          faults={faults}
          submit={(text) => setAmount(text("amount"))}
          does="Check"
          weak
        />
        {data ? <Verdict of={data.data} /> : faults.size === 0 && <NotYet error={error} refetch={refetch} rows={4} />}
      </div>
    </AgentPanel>
  );
}

function Verdict({ of: { verdict, payTo, maxAmount, reasons } }: { of: Preflight }) {
  const [words, state] = VERDICTS[verdict];
  return (
    <>
      <p role="status">
        <span className="tag" data-state={state}>
          {words}
        </span>{" "}
        {Number(maxAmount) === 0 ? (
          "The evidence supports no payment."
        ) : (
          <>
            The evidence supports up to {usdcExact(maxAmount)} USDC{payTo && " to "}
            {payTo && <Party address={payTo} />}.
          </>
        )}
      </p>
      <ul className="why-words">
        {reasons.map(({ key, effect, says, evidence, asOf }) => (
          <li key={key}>
            <b>{EFFECTS[effect]}</b> {says} {evidence && <a href={evidence}>Evidence</a>}{" "}
            {asOf && <span className="faint">{age(asOf)} ago</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
