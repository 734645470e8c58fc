/** The profile of an agent as its controllers change it, the score that a change would give, and the change: signed in, or as the owner by one signed line of text. */
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import type { z } from "zod";
import type { updateSchema } from "../../../api/schemas/updates.ts";
import { contentDigest } from "../../../core/callers/signed-texts.ts";
import { SIGNALS, scoreOf } from "../../../core/cred/cred.ts";
import type { SignalKey } from "../../../core/signals/signals.ts";
import type { profileSchema } from "../../../core/views/profile.ts";
import type { Answer } from "../api/answer.ts";
import { liveEvery } from "../api/events.ts";
import { agentPath, asked, discovery } from "../api/queries.ts";
import type { Agent, PendingWrite } from "../api/types.ts";
import { Action, Button } from "../parts/button.tsx";
import { Transaction } from "../parts/copy.tsx";
import { type FieldEntry, Form, type FormProps } from "../parts/form.tsx";
import { NotYet } from "../parts/states.tsx";
import { useTyped } from "../parts/typed.tsx";
import { Note, OperationSteps, type RunningOperation, useOperation } from "../wallet/operation.tsx";
import type { RequestMaker } from "../wallet/operation-store.ts";
import { ask, type ConnectedWallet, hexOf, useWallet } from "../wallet/session.ts";
import { filled } from "../wallet/sign-ins.ts";
import { bodyOfChanges, changesOf } from "./changes.tsx";

/** What a section of the management is given. */
export type SectionProps = { agent: Agent };

export type Profile = z.output<typeof profileSchema>;
export type ProfileField = Profile["fields"][number];

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

type WriteAnswer = z.output<typeof updateSchema> | PendingWrite;

const same = (one: string, other: string | undefined) => one.toLowerCase() === other?.toLowerCase();
/** Whether the wallet owns the token and is not the agent's own. */
export const isOwnerOnly = ({ owner, agentAddress }: Agent, wallet: ConnectedWallet | null): boolean =>
  same(owner, wallet?.address) && !same(agentAddress, wallet?.address);

type Save = { onchain?: boolean; bySignature?: boolean };
export type ProfileWrite = {
  op: RunningOperation<WriteAnswer>;
  /** Signs and sends; the outcome is shown by `ProfileForm`. */
  save(update: object, options?: Save): void;
};

/** @param part names the form: one write of it is under way at a time. @param saved runs once the change is accepted */
export function useProfileWrite(agent: Agent, part: string, saved: () => void): ProfileWrite {
  const path = agentPath(String(agent.tokenId));
  const wallet = useWallet();
  const client = useQueryClient();
  const name = `${part}.${agent.tokenId}`;
  const op = useOperation<WriteAnswer>({ name, caller: "siwa", changes: "", done: saved });
  const byLine =
    (update: object): RequestMaker =>
    async (tell) => {
      tell("Sign the line of text in your wallet. It costs nothing and sends nothing.");
      const { data: about } = await client.ensureQueryData(discovery);
      const places = { tokenId: agent.tokenId, timestamp: Date.now(), digest: contentDigest(update) };
      const message = filled(about.auth.ownerUpdate.message, places);
      const signature = await ask<string>(wallet!.provider, "personal_sign", [hexOf(message), wallet!.address]);
      return { path: `${path}/human-update`, body: { message, signature, ...update }, caller: "anyone" };
    };
  const save = (update: object, { onchain = false, bySignature = false }: Save = {}) =>
    void op.run(
      bySignature || (!onchain && isOwnerOnly(agent, wallet))
        ? byLine(update)
        : { path: `${path}/update${onchain ? "?onchain=true" : ""}`, body: update },
    );
  return { op, save };
}

export type ProfileProps = SectionProps & { profile: Profile };

/** A section that waits for the agent's profile. @param rows lines in its place until then */
export const ofProfile = (rows: number, Section: ComponentType<ProfileProps>) =>
  function OfProfile({ agent }: SectionProps) {
    const { data: answer, error, refetch } = useQuery(profileOf(agent.tokenId));
    return answer ? (
      <Section agent={agent} profile={answer.data} />
    ) : (
      <NotYet error={error} refetch={refetch} rows={rows} />
    );
  };

/** Fields over what the profile has of them, what is typed over that, and the write of what differs. @param part as above */
export function useProfileFields({ agent, profile }: ProfileProps, part: string, fields: readonly FieldEntry[]) {
  const values = new Map(profile.fields.map(({ field, value }) => [field, value]));
  const shown = Object.fromEntries(fields.map(({ name }) => [name, String(values.get(name) ?? "")]));
  const { held, forget, discard } = useTyped(`${part}.${agent.tokenId}`, shown);
  const write = useProfileWrite(agent, part, forget);
  const changes = changesOf(fields, shown, held.values);
  const save = (options: Save) =>
    changes.length > 0 ? () => write.save(bodyOfChanges(fields, changes), options) : null;
  return { shown, held, discard, write, changes, save };
}

type ProfileFormProps = Omit<FormProps, "submit" | "busy" | "className" | "label" | "beside"> & {
  agent: Agent;
  write: ProfileWrite;
  /** Sends what is written; null while there is nothing to save. */
  save: (() => void) | null;
  /** Forgets what is written; null where nothing is. */
  discard?: (() => void) | null;
};

/** A form that changes the profile, with progress and outcome of the write below. */
export function ProfileForm({ agent, write: { op }, save, discard, ...form }: ProfileFormProps) {
  const busy = !["idle", "refused", "done"].includes(op.state.at);
  return (
    <>
      <Form
        className="panel form"
        faults={op.faults}
        {...form}
        submit={() => save?.()}
        busy={save === null || busy}
        beside={
          discard && (
            <Button disabled={busy} onClick={discard}>
              Discard changes
            </Button>
          )
        }
      />
      <OperationSteps
        op={op}
        done={(answer) => (
          <Written title="Saved" answer={answer} close={op.reset}>
            {"storage" in answer && answer.storage === "onchain"
              ? "It is on chain. It is shown here as soon as its block is indexed, usually within seconds."
              : "It is shown everywhere now."}
          </Written>
        )}
      />
    </>
  );
}

type WrittenProps = {
  title: string;
  answer: { txHashes?: string[] } | PendingWrite;
  close: () => void;
  children: ReactNode;
};

/** What came of a write, in words where it is there already, with its transactions. */
export const Written = ({ title, answer, close, children }: WrittenProps) => (
  <Note title={"status" in answer ? "On its way" : title} role="status">
    <p>
      {"status" in answer
        ? "The chain is slow at the moment. This page follows the transactions; you may leave it."
        : children}
    </p>
    <Transactions of={answer.txHashes ?? []} />
    <Action onClick={close}>Close</Action>
  </Note>
);

export const Transactions = ({ of }: { of: readonly string[] }) =>
  of.length === 0 ? null : (
    <p className="muted">
      Transactions:{" "}
      {of.map((hash, i) => (
        <span key={hash}>
          {i > 0 && ", "}
          <Transaction hash={hash} />
        </span>
      ))}
    </p>
  );
