/** What came of asking an endpoint once, as the log of probes keeps it. */

/** Why no answer came, with its number in the log: below those of HTTP. */
export const FAILURE_CAUSES = { other: 0, dns: 1, address: 2, refused: 3, tls: 4, closed: 5, timeout: 6 } as const;
export type FailureCause = keyof typeof FAILURE_CAUSES;

export type Probe = {
  /** Of HTTP, the last answer's; else the number of the cause. */
  status: number;
  /** Until the first answer was read; null where none came. */
  ms: number | null;
  /** The fault may be our own as well: nothing came from its host. */
  traceless: boolean;
  /** It was seen to be ours: no network, no socket, no resolver. */
  isOurs: boolean;
};
