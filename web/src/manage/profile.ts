/** The profile of an agent as its controllers change it, and the score that a change would give. */
import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { updateSchema } from "../../../api/schemas/updates.ts";
import { SIGNALS, scoreOf } from "../../../core/cred/cred.ts";
import type { SignalKey } from "../../../core/signals/signals.ts";
import type { profileSchema } from "../../../core/views/profile.ts";
import { type Answer, get } from "../api/answer.ts";
import { liveEvery } from "../api/events.ts";
import { agentPath } from "../api/queries.ts";

export type Profile = z.output<typeof profileSchema>;
export type ProfileField = Profile["fields"][number];
export type UpdateAnswer = z.output<typeof updateSchema>;

/** Milliseconds between two reads of the state of writes that are on their way. */
const POLL_MS = 2_000;

/** Whether the chain has not decided about a write, or the index does not have it yet. */
export const isUnderWay = ({ state }: Profile["writing"][number]): boolean => state !== "refused";

export const profileOf = (tokenId: number) => {
  const path = `${agentPath(String(tokenId))}/profile`;
  const live = liveEvery();
  return queryOptions({
    queryKey: [path],
    queryFn: get<Profile>(path),
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
