/** Queues without progress: work is due and none of it moves, for any cause. */

/** Seconds for which work may be due without any progress before a queue counts as stalled. */
const STALLED_SECONDS = 60;

/** A job as the database knows it, in seconds ago; null: it has no schedule or no run yet, or never moved. */
export type JobMove = { name: string; overdueSeconds: number | null; movedSeconds: number | null };

/** A queue with work that was due and did not move for `seconds`. */
export type StalledQueue = { name: string; seconds: number };

/**
 * @param queues age of the oldest waiting job of each queue, in seconds; empty while the queue's store does not answer:
 *   then only the schedules count
 * @returns the queue without progress for the longest time first
 */
export function stalledQueues(
  moves: readonly JobMove[],
  queues: readonly { name: string; oldestSeconds: number | null }[],
): StalledQueue[] {
  const oldest = new Map(queues.map(({ name, oldestSeconds }) => [name, oldestSeconds ?? 0]));
  const byName = new Map(moves.map((move) => [move.name, move]));
  return [...new Set([...oldest.keys(), ...byName.keys()])]
    .map((name) => {
      const move = byName.get(name);
      const due = Math.max(move?.overdueSeconds ?? 0, oldest.get(name) ?? 0);
      return { name, seconds: Math.floor(Math.min(due, move?.movedSeconds ?? due)) };
    })
    .filter(({ seconds }) => seconds >= STALLED_SECONDS)
    .toSorted((a, b) => b.seconds - a.seconds);
}

const MAX_NAMED = 5;

/** The queues without progress in one sentence; null for none. */
export function stalledSentence(stalled: readonly StalledQueue[]): string | null {
  const [longest] = stalled;
  if (!longest) return null;
  const names = stalled.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = stalled.length > MAX_NAMED ? ` and ${stalled.length - MAX_NAMED} more` : "";
  return `Work is due and nothing has moved for ${longest.seconds} s: ${names.join(", ")}${more}.`;
}
