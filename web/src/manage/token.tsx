/** The token of an agent: the linked one, and linking another. */
import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import type { linkTokenAnswerSchema } from "../../../api/schemas/updates.ts";
import { agentPath } from "../api/queries.ts";
import type { Agent, PendingWrite } from "../api/types.ts";
import { counted } from "../formats.ts";
import { bodyOf, type FieldEntry, fieldsOf } from "../parts/form.tsx";
import { Facts, Panel } from "../parts/panel.tsx";
import { useTyped } from "../parts/typed.tsx";
import { OperationForm, useOperation } from "../wallet/operation.tsx";
import { refusalOf, Writing } from "./storage.tsx";
import { profileOf, type SectionProps, Written } from "./write.tsx";

type LinkAnswer = z.output<typeof linkTokenAnswerSchema>;
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

const fieldsFor = (chain: string | undefined): FieldEntry[] =>
  fieldsOf("token", {
    chain: { choices: CHAINS, hint: "" },
    contractAddress: {},
    symbol: { hint: chain === "base" ? "compared with the contract's own" : "taken as stated" },
    name: {},
  });

/** A token is stored in four traits, each of its own transaction. */
const TRAITS_PER_TOKEN = 4;

export default function TokenSection({ agent }: SectionProps) {
  const profile = useQuery(profileOf(agent.tokenId)).data?.data;
  const { held, forget } = useTyped(`token.${agent.tokenId}`, { chain: "base" });
  const fields = fieldsFor(held.values.chain);
  const name = `link-token.${agent.tokenId}`;
  const op = useOperation<LinkAnswer | PendingWrite>({ name, caller: "siwa", changes: "", done: forget });
  const refusal = profile ? refusalOf(profile, TRAITS_PER_TOKEN, TRAITS_PER_TOKEN) : null;
  return (
    <>
      {profile && <Writing profile={profile} />}
      <Present agent={agent} />
      <OperationForm
        op={op}
        className="panel form"
        title="Link a token"
        lead="Stored on chain for everyone to read. Of several linked tokens the newest counts."
        fields={fields}
        {...held}
        request={(text) => ({ path: `${agentPath(String(agent.tokenId))}/link-token`, body: bodyOf(fields, text) })}
        does="Link the token"
        busy={op.state.at === "undecided" || refusal !== null}
        done={(answer) => (
          <Written title="Linked" answer={answer} close={op.reset}>
            {"linkedToken" in answer &&
              `${answer.linkedToken.name} (${answer.linkedToken.symbol}) is stored on chain. It is shown here as soon as its block is indexed.`}
          </Written>
        )}
      >
        <p className="muted">
          {refusal ??
            `${counted(TRAITS_PER_TOKEN, "transaction", "transactions")}, sent and paid by the service. It costs you nothing.`}
        </p>
      </OperationForm>
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
