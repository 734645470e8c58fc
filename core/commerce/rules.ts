/** The rules by which a job is no organic one: one table with its words, under one version. Sizes, windows and what follows from a client's money are income's. */

/** Goes up with every change of this file that changes a figure. */
export const JOB_RULES_VERSION = 3;

/** Why a job is not organic; of several reasons that hold, the first one is shown. */
export const JOB_REMOVED = [
  { key: "self", says: "The client is the agent's own wallet or owner." },
  { key: "own_group", says: "The client is the wallet of another agent of the same owner." },
  { key: "own_evaluator", says: "The evaluator is of the agent's own side." },
  { key: "other_token", says: "It is paid in another token than USDC, whose worth is not known here." },
  { key: "dust", says: "It is worth less than a tenth of a cent." },
  { key: "refunded", says: "The same amount went back to the client." },
  { key: "self_funded", says: "Before, the client had money from the agent's side." },
  { key: "circular", says: "Afterwards, money of the agent's side went to the client." },
  { key: "unread", says: "Where the client's money came from is not read yet." },
  { key: "beyond", says: "It is beyond the clients, or the jobs of one client, that are weighed one by one." },
  { key: "one_client", says: "All that is left is of one client, or of accounts whose money had one source." },
] as const;
export type JobRemovedKey = (typeof JOB_REMOVED)[number]["key"];

/** Who says whether the work is done. It is shown as a fact and removes no job. */
export const EVALUATIONS = [
  { key: "other", says: "Evaluated by another account than the client." },
  { key: "client", says: "Evaluated by the client itself." },
  { key: "nobody", says: "Evaluated by nobody: it counts as completed once work is submitted." },
] as const;
export type EvaluationKey = (typeof EVALUATIONS)[number]["key"];

const SAYS = new Map<string, string>([...JOB_REMOVED, ...EVALUATIONS].map(({ key, says }) => [key, says]));
/** The words of a rule or an evaluation. */
export const jobSays = (key: JobRemovedKey | EvaluationKey): string => SAYS.get(key)!;
