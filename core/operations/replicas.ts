/** The reasons for which a replica of the database takes no reads. */
export const LEFT_OUT = [
  /** It does not answer, or another server answers in its place. */
  "unreachable",
  /** It accepts writes: it was promoted, or never was a replica. */
  "not_a_replica",
  "other_cluster",
  "other_timeline",
  /** It has replayed what the primary never wrote: its history is another one. */
  "ahead_of_primary",
  /** Its replay was paused by an operator. */
  "paused",
  "lagging",
] as const;

export type LeftOut = (typeof LEFT_OUT)[number];
