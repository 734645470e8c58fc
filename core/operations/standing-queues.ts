/** Queues without progress: work is due and none of it moves, for any cause. */

/** Seconds for which work may be due without any progress before a queue counts as standing. */
const STANDING_SECONDS = 60;

/** A job as the database knows it, in seconds ago; null: it has no schedule or no run yet, or never moved. */
export type JobMove = { name: string; overdueSeconds: number | null; movedSeconds: number | null };

/** A queue with work that was due and did not move for `seconds`. */
export type StandingQueue = { name: string; seconds: number };

/**
 * @param queues age of the oldest waiting job of each queue, in seconds; empty while the queue's store does not answer:
 *   then only the schedules count
 * @returns the queue without progress for the longest time first
 */
export function standingQueues(
  moves: readonly JobMove[],
  queues: readonly { name: string; oldestSeconds: number | null }[],
): StandingQueue[] {
  const oldest = new Map(queues.map(({ name, oldestSeconds }) => [name, oldestSeconds ?? 0]));
  const known = new Map(moves.map((move) => [move.name, move]));
  return [...new Set([...oldest.keys(), ...known.keys()])]
    .map((name) => {
      const move = known.get(name);
      const due = Math.max(move?.overdueSeconds ?? 0, oldest.get(name) ?? 0);
      return { name, seconds: Math.floor(Math.min(due, move?.movedSeconds ?? due)) };
    })
    .filter(({ seconds }) => seconds >= STANDING_SECONDS)
    .toSorted((a, b) => b.seconds - a.seconds);
}

const MAX_NAMED = 5;

/** The queues without progress in one sentence; null for none. */
export function standingSentence(standing: readonly StandingQueue[]): string | null {
  const [longest] = standing;
  if (!longest) return null;
  const names = standing.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = standing.length > MAX_NAMED ? ` and ${standing.length - MAX_NAMED} more` : "";
  return `Work is due and nothing has moved for ${longest.seconds} s: ${names.join(", ")}${more}.`;
}
