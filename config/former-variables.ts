/** Variables of earlier versions. A process that finds one does not start: what it was to set would be ignored. */

/** Names, and what took their place, as the rest of a sentence. */
const FORMER: readonly [names: RegExp, instead: string][] = [
  [
    /^(RATE_[A-Z_]+_PER_[A-Z_]+|RATE_(CONTRACT_SIGNATURES|CHAIN_READS)|PROOFS_PER_AGENT|(MIN_BLOCK_READS|CONNECTIONS|STREAMS)_PER_(CLIENT|PROCESS)|WEBHOOKS_(PER_WALLET|PER_NETWORK|IN_ALL))$/,
    "LIMITS sets this limit by its name in docs/operate/limits.md",
  ],
  [
    /^((IDENTITY|ERC8004|EAS|HANDSHAKES|SERVICE_TOKEN|AGENT_COMMERCE)_START_BLOCK|(IDENTITY|ERC8004_IDENTITY|ERC8004_REPUTATION|ERC8004_VALIDATION|EAS|HANDSHAKES|SERVICE_TOKEN|AGENT_COMMERCE|ATTESTATION_INDEXER|USDC|NEYNAR_SCORES)_ADDRESS)$/,
    "CONTRACTS sets contracts by name, as CONTRACTS=identity=0x…@42254000",
  ],
  [
    /^(REVIEWER_HISTORIES|REVIEW_PROOFS|(INCOME|AGENT_COMMERCE)_REQUESTS|TOKEN_URIS|CRED_ORACLE_GAS|EMBEDDINGS_(TEXTS|QUESTIONS))_PER_DAY$/,
    "DAILY_BUDGETS sets this budget by its name in docs/operate/limits.md",
  ],
  [
    /^(ATTESTATION_RECHECK_INTERVAL|CRED_ROOTS_HEARTBEAT|CRED_ORACLE_(BATCH|INTERVAL)|WEBHOOK_DISABLE_AFTER|(AWARD|MPP)_CONFIRMATIONS)$/,
    "its default has become fixed, so remove it",
  ],
];

/** @returns a sentence for each variable of an earlier version that the environment sets */
export const formerVariables = (env: Record<string, string | undefined>): string[] =>
  Object.keys(env)
    .filter((name) => env[name]?.trim())
    .flatMap((name) => {
      const former = FORMER.find(([names]) => names.test(name));
      return former ? [`${name} is not a variable any more: ${former[1]}`] : [];
    });
