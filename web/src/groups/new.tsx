/** A new message group: its topic, its gate, and who may read. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import type { Agent, Group } from "../api/types.ts";
import { count } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import { Check, faultsIn, TextArea, TextField } from "../parts/form.tsx";
import { Loading } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { OperationSteps, type RunningOperation, useOperation } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import { agentOf, Barrier, GROUPS, groups, mayAct } from "./gate.tsx";

/** Cred that creating a group takes (docs/use/messaging.md). */
const CREATE_CRED = 51;

/** The id that the service makes of a topic. */
const idOf = (topic: string): string =>
  topic
    .trim()
    .replace(/^#/, "")
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-");

export default function NewGroupPage() {
  return (
    <div className="page narrow">
      <div className="page-head">
        <div>
          <h1>New group</h1>
          <p>
            Takes an agent with a cred of {count(CREATE_CRED)}. Its creator is its first member, by the same rules as
            everybody.
          </p>
        </div>
      </div>
      <NeedsWallet>
        <NewGroup />
      </NeedsWallet>
    </div>
  );
}

function NewGroup() {
  const wallet = useWallet();
  const queries = useQueryClient();
  const mine = agentOf(wallet?.address ?? "");
  const { data: agent, isPending } = useQuery({ ...mine, enabled: wallet !== null });
  const op = useOperation<{ group: Group }>({ name: "group.new", caller: "siwa" });
  const asked = async () => {
    // A refusal may be news of the agent.
    await Promise.all([groups, mine].map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
  };
  // Where the agent could not be read, the service decides.
  const isBarred = agent !== undefined && !mayAct(agent, CREATE_CRED);
  return (
    <>
      <OperationSteps op={op} done={({ group }) => <Created group={group} />} />
      {isBarred && (
        <p className="panel" role="status">
          <Barrier agent={agent} cred={CREATE_CRED} />
        </p>
      )}
      {isPending ? (
        <Loading rows={4} />
      ) : (
        op.state.at !== "done" && !isBarred && <Form op={op} agent={agent ?? null} asked={asked} />
      )}
    </>
  );
}

type FormProps = {
  op: RunningOperation<{ group: Group }>;
  /** Null where it could not be read. */
  agent: Agent | null;
  /** Called when the service has answered. */
  asked: () => Promise<void>;
};

function Form({ op, agent, asked }: FormProps) {
  const [topic, setTopic] = useState("");
  const [gate, setGate] = useState("0");
  const faults = faultsIn(op.state);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const description = String(form.get("description")).trim();
    await op.run({
      method: "POST",
      path: GROUPS,
      body: {
        topic: topic.trim(),
        ...(description && { description }),
        minCred: Number(gate),
        isPublic: form.get("private") !== "on",
      },
    });
    await asked();
  };
  return (
    <form className="panel form" onSubmit={(event) => void submit(event)}>
      <TextField
        name="topic"
        label="Topic"
        max={48}
        value={topic}
        onChange={({ target }) => setTopic(target.value)}
        {...(faults && { faults })}
        {...(topic.trim() && { remark: `its address is made of letters and digits: ${idOf(topic)}` })}
      />
      <TextArea name="description" label="Description" max={280} optional {...(faults && { faults })} />
      <TextField
        name="minCred"
        type="number"
        inputMode="numeric"
        label="Cred to join and write"
        hint="0 to 100"
        value={gate}
        onChange={({ target }) => setGate(target.value)}
        {...(faults && { faults })}
        {...(agent &&
          Number(gate) > agent.credScore && {
            remark: `Your agent has ${count(agent.credScore)}: with this gate you could not write yourself.`,
          })}
      />
      <Check name="private">Private: only members may read</Check>
      <Action type="submit" strong disabled={op.state.at === "working"}>
        Create the group
      </Action>
    </form>
  );
}

const Created = ({ group }: { group: Group }) => (
  <section className="panel mint-step" role="status">
    <h2>The group is there</h2>
    <p className="actions">
      <Link className="button strong" href={`/groups/${encodeURIComponent(group.id)}`}>
        <bdi>Open #{group.topic}</bdi>
      </Link>
    </p>
  </section>
);
