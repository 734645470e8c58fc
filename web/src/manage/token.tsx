/** The token of an agent: the linked one, and linking another. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect } from "react";
import type { z } from "zod";
import type { linkTokenAnswerSchema } from "../../../api/schemas/registries.ts";
import { agentPath } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { counted } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import { Fact } from "../parts/facts.tsx";
import { Choice, faultsOf, TextField } from "../parts/form.tsx";
import { OperationSteps, useOperation } from "../wallet/operation.tsx";
import { useDraft } from "./changes.tsx";
import { profileOf } from "./profile.ts";
import type { SectionProps } from "./section-props.ts";
import { refusalOf, Writing } from "./storage.tsx";
import { explorerOf, type PendingAnswer, RefusedFields, SLOW_CHAIN, Transactions } from "./write.tsx";

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
  const faults = faultsOf(op.state.at === "refused" ? op.state.problem : null);
  const busy = at === "working" || at === "undecided";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, ...token } = draft;
    void op.run({
      method: "POST",
      path: `${agentPath(String(agent.tokenId))}/link-token`,
      body: { ...token, ...(name.trim() && { name }) },
    });
  };
  const field = (name: keyof Draft) => ({
    name,
    faults,
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => setDraft({ ...draft, [name]: target.value }),
  });
  const explorer = explorerOf(agent);
  return (
    <>
      {profile && <Writing profile={profile} explorer={explorer} />}
      <Present agent={agent} />
      <form className="panel form" onSubmit={submit} aria-label="Link a token">
        <h2>Link a token</h2>
        <p className="muted">Stored on chain for everyone to read. Of several linked tokens the newest counts.</p>
        <Choice {...field("chain")} label="Chain" choices={CHAINS} />
        <TextField {...field("contractAddress")} label="Contract address" max={64} />
        <TextField
          {...field("symbol")}
          label="Symbol"
          hint={draft.chain === "base" ? "compared with the contract's own" : "taken as stated"}
          max={32}
        />
        <TextField {...field("name")} label="Name" max={64} optional />
        <p className="muted">
          {refusal ??
            `${counted(TRAITS_PER_TOKEN, "transaction", "transactions")}, sent and paid by the service. It costs you nothing.`}
        </p>
        <Action type="submit" strong disabled={busy || refusal !== null}>
          Link the token
        </Action>
      </form>
      <OperationSteps
        op={op}
        refused={(problem) => <RefusedFields problem={problem} />}
        done={(answer) => <Done answer={answer} explorer={explorer} close={op.reset} />}
      />
    </>
  );
}

const Present = ({ agent: { linkedToken } }: { agent: Agent }) => (
  <section className="panel" aria-label="Linked token">
    <h2>Linked token</h2>
    {linkedToken ? (
      <dl className="facts tall">
        <Fact label="Name">
          <bdi>
            {linkedToken.name} ({linkedToken.symbol})
          </bdi>
        </Fact>
        <Fact label="Contract address" className="mono wrap">
          {linkedToken.contractAddress}
        </Fact>
        <Fact label="Chain">{CHAINS.find(([key]) => key === linkedToken.chain)?.[1] ?? linkedToken.chain}</Fact>
      </dl>
    ) : (
      <p className="muted">No token is linked.</p>
    )}
  </section>
);

type DoneProps = { answer: LinkAnswer | PendingAnswer; explorer: string; close: () => void };

const Done = ({ answer, explorer, close }: DoneProps) => (
  <section className="panel mint-step" role="status">
    <h2>{"status" in answer ? "On its way" : "Linked"}</h2>
    <p>
      {"status" in answer
        ? SLOW_CHAIN
        : `${answer.linkedToken.name} (${answer.linkedToken.symbol}) is stored on chain. It is shown here as soon as its block is indexed.`}
    </p>
    <Transactions of={answer.txHashes} explorer={explorer} />
    <Action onClick={close}>Close</Action>
  </section>
);
