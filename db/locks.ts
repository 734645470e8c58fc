/** Numbers of the service's advisory locks in Postgres: two uses of one number would wait for each other. */
export const ADVISORY_LOCKS = {
  migrations: 7_401_001,
  /** Class: agents whose scores are computed. */
  cred: 7_401_002,
  /** Class: principals. */
  principals: 7_401_003,
  /** Class: builds of the index. */
  indexBuild: 7_401_004,
  /** Class: sources of the directory. */
  pull: 7_401_010,
  erc8004Rows: 7_401_011,
  webhookCounts: 7_401_012,
} as const;
