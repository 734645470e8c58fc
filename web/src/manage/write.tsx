/** The profile of an agent as its controllers change it, the score that a change would give, and the change: signed in, or as the owner by one signed line of text. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, type ReactNode, useEffect, useState } from "react";
import type { z } from "zod";
import type { updateSchema } from "../../../api/schemas/updates.ts";
import { contentDigest } from "../../../core/callers/signed-texts.ts";
import { SIGNALS, scoreOf } from "../../../core/cred/cred.ts";
import type { SignalKey } from "../../../core/signals/signals.ts";
import type { profileSchema } from "../../../core/views/profile.ts";
import type { Answer } from "../api/answer.ts";
import { liveEvery } from "../api/events.ts";
import { agentPath, asked, discovery } from "../api/queries.ts";
import type { Agent } from "../api/types.ts";
import { Action, Button } from "../parts/button.tsx";
import { Transaction } from "../parts/copy.tsx";
import { type Faults, Form, faultsOf } from "../parts/form.tsx";
import { Note, OperationSteps, Refused, type RunningOperation, useOperation } from "../wallet/operation.tsx";
import { ask, type ConnectedWallet, hexOf, useWallet } from "../wallet/session.ts";
import { filled } from "../wallet/sign-ins.ts";

/** What a section of the management is given. */
export type SectionProps = { agent: Agent };

export type Profile = z.output<typeof profileSchema>;
export type ProfileField = Profile["fields"][number];
type UpdateAnswer = z.output<typeof updateSchema>;

/** Milliseconds between two reads of the state of writes that are on their way. */
const POLL_MS = 2_000;

/** Whether the chain has not decided about a write, or the index does not have it yet. */
export const isUnderWay = ({ state }: Profile["writing"][number]): boolean => state !== "refused";

export const profileOf = (tokenId: number) => {
  const live = liveEvery();
  return queryOptions({
    ...asked<Profile>(`${agentPath(String(tokenId))}/profile`),
    ...live,
    refetchInterval: ({ state: { data } }: { state: { data: Answer<Profile> | undefined } }) =>
      data?.data.writing.some(isUnderWay) ? POLL_MS : live.refetchInterval(),
  });
};

/** The score with other raw values than the present ones. */
export const scoreWith = ({ cred }: Profile, raw: Partial<Record<SignalKey, number>>): number =>
  scoreOf({ ...(cred.raw as Record<SignalKey, number>), ...raw });

/** Points of the score that a raw value of a signal is worth. */
export const pointsOf = (key: SignalKey, raw: number): number =>
  ((SIGNALS.find((signal) => signal.key === key)?.weight ?? 0) * raw) / 100;

/** The answer of a write that goes on chain and is not there yet. */
export type PendingAnswer = { status: "pending"; tokenId: number; txHashes: string[]; message: string };
type WriteAnswer = UpdateAnswer | PendingAnswer;

const same = (one: string, other: string | undefined) => one.toLowerCase() === other?.toLowerCase();
/** Whether the wallet owns the token and is not the agent's own. */
export const isOwnerOnly = ({ owner, agentAddress }: Agent, wallet: ConnectedWallet | null): boolean =>
  same(owner, wallet?.address) && !same(agentAddress, wallet?.address);

export type ProfileWrite = {
  busy: boolean;
  /** Errors of fields in the last refusal, by path. */
  faults: Faults;
  /** What the wallet refused to sign; null when it did not. */
  declined: Error | null;
  op: RunningOperation<WriteAnswer>;
  /** Signs and sends; the outcome is shown by `ProfileForm`. */
  save(update: object, options?: { onchain?: boolean; bySignature?: boolean }): void;
};

/** @param part names the form: one write of it is under way at a time. @param saved runs once the change is accepted */
export function useProfileWrite(agent: Agent, part: string, saved: () => void): ProfileWrite {
  const { tokenId } = agent;
  const wallet = useWallet();
  const client = useQueryClient();
  const signedIn = useOperation<WriteAnswer>({ name: `${part}.${tokenId}`, caller: "siwa" });
  const bySignature = useOperation<WriteAnswer>({ name: `${part}-owner.${tokenId}`, caller: "anyone" });
  const [signing, setSigning] = useState(false);
  const [declined, setDeclined] = useState<Error | null>(null);
  const op = bySignature.state.at === "idle" ? signedIn : bySignature;
  const { at } = op.state;
  useEffect(() => {
    if (at !== "done") return;
    saved();
    void client.invalidateQueries();
    // `saved` is another function in each render; it belongs to the step to "done" alone.
  }, [at, client]);

  async function signAndSend(update: object): Promise<void> {
    setSigning(true);
    try {
      const { data: about } = await client.ensureQueryData(discovery);
      const places = { tokenId, timestamp: Date.now(), digest: contentDigest(update) };
      const message = filled(about.auth.ownerUpdate.message, places);
      const signature = await ask<string>(wallet!.provider, "personal_sign", [hexOf(message), wallet!.address]);
      const body = { message, signature, ...update };
      await bySignature.run({ method: "POST", path: `${agentPath(String(tokenId))}/human-update`, body });
    } catch (error) {
      setDeclined(error as Error);
    } finally {
      setSigning(false);
    }
  }

  function save(update: object, { onchain = false, bySignature: line = false } = {}): void {
    setDeclined(null);
    if (bySignature.state.at !== "idle") bySignature.reset();
    if (line || (!onchain && isOwnerOnly(agent, wallet))) {
      signedIn.reset();
      return void signAndSend(update);
    }
    const path = `${agentPath(String(tokenId))}/update${onchain ? "?onchain=true" : ""}`;
    void signedIn.run({ method: "POST", path, body: update });
  }
  const busy = signing || at === "working" || at === "terms" || at === "undecided";
  return { busy, faults: op.faults, declined, op, save };
}

type ProfileFormProps = Omit<ComponentProps<typeof Form>, "submit" | "busy" | "className" | "label" | "beside"> & {
  agent: Agent;
  write: ProfileWrite;
  title: string;
  lead: ReactNode;
  /** Sends what is written; null while there is nothing to save. */
  save: (() => void) | null;
  /** Forgets what is written; null where nothing is. */
  discard?: (() => void) | null;
};

/** A form that changes the profile, with progress and outcome of the write below. */
export const ProfileForm = ({ agent, write, title, lead, before, save, discard, ...form }: ProfileFormProps) => (
  <>
    <Form
      className="panel form"
      label={title}
      faults={write.faults}
      {...form}
      submit={() => save?.()}
      busy={save === null || write.busy}
      before={
        <>
          <h2>{title}</h2>
          <p className="muted">{lead}</p>
          {before}
        </>
      }
      beside={
        discard && (
          <Button disabled={write.busy} onClick={discard}>
            Discard changes
          </Button>
        )
      }
    />
    {write.declined ? (
      <Refused problem={write.declined} />
    ) : (
      <OperationSteps
        op={write.op}
        refused={(problem) => <RefusedFields problem={problem} />}
        done={(answer) => <Saved answer={answer} explorer={explorerOf(agent)} close={write.op.reset} />}
      />
    )}
  </>
);

/** A refusal with every field that it is about, but the first, which its sentence names: some have no place in the form. */
export function RefusedFields({ problem }: { problem: unknown }) {
  const [, ...others] = faultsOf(problem);
  return (
    <>
      <Refused problem={problem} />
      {others.length > 0 && (
        <ul className="faults">
          {others.map(([path, message]) => (
            <li key={path} className="fault">
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type SavedProps = { answer: WriteAnswer; explorer: string; close: () => void };

const Saved = ({ answer, explorer, close }: SavedProps) => (
  <Written title="Saved" answer={answer} explorer={explorer} close={close}>
    {"storage" in answer && answer.storage === "onchain"
      ? "It is on chain. It is shown here as soon as its block is indexed, usually within seconds."
      : "It is shown everywhere now."}
  </Written>
);

type WrittenProps = Omit<SavedProps, "answer"> & {
  title: string;
  answer: { txHashes?: string[] } | PendingAnswer;
  children: ReactNode;
};

/** What came of a write, in words where it is there already, with its transactions. */
export const Written = ({ title, answer, explorer, close, children }: WrittenProps) => (
  <Note title={"status" in answer ? "On its way" : title} role="status">
    <p>
      {"status" in answer
        ? "The chain is slow at the moment. This page follows the transactions; you may leave it."
        : children}
    </p>
    <Transactions of={answer.txHashes ?? []} explorer={explorer} />
    <Action onClick={close}>Close</Action>
  </Note>
);

export const Transactions = ({ of, explorer }: { of: readonly string[]; explorer: string }) =>
  of.length === 0 ? null : (
    <p className="muted">
      Transactions:{" "}
      {of.map((hash, i) => (
        <span key={hash}>
          {i > 0 && ", "}
          <Transaction hash={hash} explorer={explorer} />
        </span>
      ))}
    </p>
  );

/** The explorer's base URL, as the agent's own link names it. */
export const explorerOf = ({ explorer }: Agent): string => new URL(explorer).origin;
