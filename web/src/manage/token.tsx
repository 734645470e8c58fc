/** The token of an agent: the linked one, and linking another. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { z } from "zod";
import type { linkTokenAnswerSchema } from "../../../api/schemas/updates.ts";
import { agentPath } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { counted } from "../formats.ts";
import { type FieldEntry, Form } from "../parts/form.tsx";
import { Facts, Panel } from "../parts/panel.tsx";
import { OperationSteps, useOperation } from "../wallet/operation.tsx";
import { useDraft } from "./changes.tsx";
import { refusalOf, Writing } from "./storage.tsx";
import { explorerOf, type PendingAnswer, profileOf, RefusedFields, type SectionProps, Written } from "./write.tsx";

type LinkAnswer = z.output<typeof linkTokenAnswerSchema>;
type Draft = { contractAddress: string; chain: string; symbol: string; name: string };
const EMPTY: Draft = { contractAddress: "", chain: "base", symbol: "", name: "" };

/** The chains that the API takes, with their names. */
const CHAINS = [
  ["base", "Base"],
  ["ethereum", "Ethereum"],
  ["arbitrum", "Arbitrum"],
  ["optimism", "Optimism"],
  ["polygon", "Polygon"],
  ["bsc", "BNB Smart Chain"],
  ["avalanche", "Avalanche"],
  ["solana", "Solana"],
] as const;

const fieldsOf = ({ chain }: Draft): FieldEntry[] => [
  { name: "chain", label: "Chain", choices: CHAINS },
  { name: "contractAddress", label: "Contract address", max: 64 },
  {
    ...{ name: "symbol", label: "Symbol", max: 32 },
    hint: chain === "base" ? "compared with the contract's own" : "taken as stated",
  },
  { name: "name", label: "Name", max: 64, optional: true },
];

/** A token is stored in four traits, each of its own transaction. */
const TRAITS_PER_TOKEN = 4;

export default function TokenSection({ agent }: SectionProps) {
  const profile = useQuery(profileOf(agent.tokenId)).data?.data;
  const client = useQueryClient();
  const [kept, setDraft] = useDraft<Draft>(`token.${agent.tokenId}`);
  const draft = kept ?? EMPTY;
  const op = useOperation<LinkAnswer | PendingAnswer>({ name: `link-token.${agent.tokenId}`, caller: "siwa" });
  const { at } = op.state;
  useEffect(() => {
    if (at !== "done") return;
    setDraft(null);
    void client.invalidateQueries();
  }, [at, client]);
  const refusal = profile ? refusalOf(profile, TRAITS_PER_TOKEN, TRAITS_PER_TOKEN) : null;
  const submit = () => {
    const { name, ...token } = draft;
    return op.run({
      method: "POST",
      path: `${agentPath(String(agent.tokenId))}/link-token`,
      body: { ...token, ...(name.trim() && { name }) },
    });
  };
  const explorer = explorerOf(agent);
  return (
    <>
      {profile && <Writing profile={profile} explorer={explorer} />}
      <Present agent={agent} />
      <Form
        className="panel form"
        label="Link a token"
        before={
          <>
            <h2>Link a token</h2>
            <p className="muted">Stored on chain for everyone to read. Of several linked tokens the newest counts.</p>
          </>
        }
        fields={fieldsOf(draft)}
        faults={op.faults}
        values={draft}
        change={(name, value) => setDraft({ ...draft, [name]: value })}
        submit={submit}
        does="Link the token"
        busy={op.busy || at === "undecided" || refusal !== null}
      >
        <p className="muted">
          {refusal ??
            `${counted(TRAITS_PER_TOKEN, "transaction", "transactions")}, sent and paid by the service. It costs you nothing.`}
        </p>
      </Form>
      <OperationSteps
        op={op}
        refused={(problem) => <RefusedFields problem={problem} />}
        done={(answer) => (
          <Written title="Linked" answer={answer} explorer={explorer} close={op.reset}>
            {"linkedToken" in answer &&
              `${answer.linkedToken.name} (${answer.linkedToken.symbol}) is stored on chain. It is shown here as soon as its block is indexed.`}
          </Written>
        )}
      />
    </>
  );
}

const Present = ({ agent: { linkedToken } }: { agent: Agent }) => (
  <Panel title="Linked token">
    {linkedToken ? (
      <Facts
        of={[
          [
            "Name",
            <bdi>
              {linkedToken.name} ({linkedToken.symbol})
            </bdi>,
          ],
          ["Contract address", linkedToken.contractAddress, { className: "mono wrap" }],
          ["Chain", CHAINS.find(([key]) => key === linkedToken.chain)?.[1] ?? linkedToken.chain],
        ]}
      />
    ) : (
      <p className="muted">No token is linked.</p>
    )}
  </Panel>
);
