/** The only reader of the environment: checks every variable at once and gives the values the shape that the processes use. */
import { budgetsConfig } from "./budgets.ts";
import { chainConfig } from "./chain.ts";
import { contractsConfig } from "./contracts.ts";
import { embeddingsConfig } from "./embeddings.ts";
import { type Environment, environmentOf, givenByFile } from "./environment.ts";
import { identityProviderConfig } from "./identity-provider.ts";
import { keysConfig } from "./keys.ts";
import { limitsConfig } from "./limits.ts";
import { messagesConfig } from "./messages.ts";
import { operationsConfig } from "./operations.ts";
import { pricingConfig, requirePayees } from "./pricing.ts";
import { secretsOf } from "./secrets.ts";
import { serviceConfig } from "./service.ts";
import { storageConfig } from "./storage.ts";
import { proxyConfig, upstreamsConfig } from "./upstreams.ts";
import type { Process, Variable } from "./variable.ts";
import { ConfigError } from "./variable.ts";
import { VARIABLES, type Values } from "./variables.ts";

/** Names, and what took their place, as the rest of a sentence. */
const FORMER: readonly { names: string; instead: string }[] = [
  {
    instead: "LIMITS sets this limit by its name in docs/operate/limits.md",
    names: `
      RATE_READS_PER_CLIENT RATE_READS_PER_API_KEY RATE_EXPORTS_PER_CLIENT RATE_DISCOVERIES_PER_CLIENT
      RATE_INDEX_QUERIES_PER_API_KEY RATE_WRITES_PER_CLIENT RATE_CLAIMS_PER_CLIENT RATE_SIGN_INS_PER_CLIENT
      RATE_CONTRACT_SIGNATURES RATE_CHAIN_READS RATE_SIGNED_WRITES_PER_CLIENT RATE_WRITES_PER_CALLER
      RATE_WRITES_PER_API_KEY RATE_UPDATES_PER_AGENT_AND_DAY RATE_PROOFS_PER_CALLER RATE_PROOFS_PER_CALLER_AND_DAY
      RATE_PAYMENTS_PER_CALLER RATE_MESSAGES_PER_MEMBER RATE_MESSAGES_PER_MEMBER_AND_DAY RATE_MESSAGES_PER_GROUP
      RATE_PRINCIPALS_PER_CLIENT RATE_GROUPS_PER_CALLER RATE_KEPT_ANSWERS_PER_CLIENT
      RATE_KEPT_ANSWERS_OF_CALLERS_PER_CLIENT RATE_WEBHOOK_SENDS_PER_CALLER RATE_FREE_MINTS_PER_CLIENT
      PROOFS_PER_AGENT MIN_BLOCK_READS_PER_CLIENT CONNECTIONS_PER_CLIENT STREAMS_PER_CLIENT STREAMS_PER_PROCESS
      WEBHOOKS_PER_WALLET WEBHOOKS_PER_NETWORK WEBHOOKS_IN_ALL`,
  },
  {
    instead: "DAILY_BUDGETS sets this budget by its name in docs/operate/limits.md",
    names: `
      REVIEWER_HISTORIES_PER_DAY REVIEW_PROOFS_PER_DAY INCOME_REQUESTS_PER_DAY AGENT_COMMERCE_REQUESTS_PER_DAY
      CRED_ORACLE_GAS_PER_DAY TOKEN_URIS_PER_DAY EMBEDDINGS_TEXTS_PER_DAY EMBEDDINGS_QUESTIONS_PER_DAY`,
  },
  {
    instead: "CONTRACTS sets contracts by name, as CONTRACTS=identity=0x…@42254000",
    names: `
      IDENTITY_ADDRESS IDENTITY_START_BLOCK ERC8004_IDENTITY_ADDRESS ERC8004_REPUTATION_ADDRESS
      ERC8004_VALIDATION_ADDRESS ERC8004_START_BLOCK EAS_ADDRESS EAS_START_BLOCK ATTESTATION_INDEXER_ADDRESS
      AGENT_COMMERCE_ADDRESS AGENT_COMMERCE_START_BLOCK HANDSHAKES_ADDRESS HANDSHAKES_START_BLOCK
      SERVICE_TOKEN_ADDRESS SERVICE_TOKEN_START_BLOCK USDC_ADDRESS NEYNAR_SCORES_ADDRESS`,
  },
  {
    instead: "its default has become fixed, so remove it",
    names: `
      ATTESTATION_RECHECK_INTERVAL CRED_ROOTS_HEARTBEAT CRED_ORACLE_BATCH CRED_ORACLE_INTERVAL AWARD_CONFIRMATIONS
      WEBHOOK_DISABLE_AFTER MPP_CONFIRMATIONS`,
  },
];

/** @returns a sentence for each variable of an earlier version that the environment sets */
export const formerVariables = (env: Record<string, string | undefined>): string[] =>
  Object.keys(env)
    .filter((name) => env[name]?.trim())
    .flatMap((name) => {
      const former = FORMER.find(({ names }) => names.split(/\s+/).includes(name));
      return former ? [`${name} is not a variable any more: ${former.instead}`] : [];
    });

/** The configuration as the processes use it. */
export type Config = ReturnType<typeof configOf>;

/**
 * Reads and checks an environment. Variables not set there are looked up in `<DATA_DIR>/stack.env`, which the running
 * local stack writes, so that operator commands find it.
 * @param options.followStack false for `npm start`, which must not follow the file of an earlier stack
 * @param options.of the process that reads it: variables of the others keep their defaults, secrets stay unset. Undefined:
 *   all of them, for commands and tests
 * @throws ConfigError naming every bad variable.
 */
export function loadConfig(
  env: Environment = process.env,
  { followStack = true, of }: { followStack?: boolean; of?: Process } = {},
): Config {
  const { dataDir, read, has } = environmentOf(env, followStack);
  const problems = formerVariables(env);
  const values = Object.fromEntries(
    Object.entries<Variable>(VARIABLES).map(([name, v]) => {
      // A process opens no file of a secret that another one has.
      const isOwn = of === undefined || v.readBy.includes(of);
      const { from, text, problem } = isOwn || has(name) ? read(name) : { from: name };
      if (problem) problems.push(problem);
      const written = text ?? v.default;
      if (written === undefined) return [name, undefined];
      const parsed = v.schema.safeParse(written);
      if (parsed.success) return [name, parsed.data];
      // A URL may hold a password or a key.
      const isShown = !v.secret && from === name && !written.includes("://");
      problems.push(`${from} ${parsed.error.issues[0]!.message}${isShown ? ` (got "${written}")` : ""}`);
      return [name, undefined];
    }),
  ) as Values;
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  requireTwoSenders(values);
  if (of === "api") requirePayees(values);
  return configOf(of ? onlyOf(of, values) : values, dataDir, secretsOf(values));
}

/** The values that a process reads; the others as if they were not set. */
function onlyOf(process: Process, values: Values): Values {
  const own = Object.entries<Variable>(VARIABLES).map(([name, { readBy, schema, default: written }]) => {
    if (readBy.includes(process)) return [name, values[name as keyof Values]];
    return [name, written === undefined ? undefined : schema.parse(written)];
  });
  return Object.fromEntries(own) as Values;
}

/** @throws ConfigError */
function requireTwoSenders(v: Values): void {
  if (v.FACILITATOR_PRIVATE_KEY && v.FACILITATOR_PRIVATE_KEY === v.DEPLOYER_PRIVATE_KEY)
    throw new ConfigError(
      "FACILITATOR_PRIVATE_KEY is the deployer's key: two senders would take each other's nonces. Set another key",
    );
}

/** The values in the shape that the processes use. @throws ConfigError */
function configOf(v: Values, dataDir: string, secrets: string[]) {
  const service = serviceConfig(v);
  const { publicUrl } = service.service;
  return {
    ...service,
    /** Values that no log line may contain. */
    secrets,
    ...operationsConfig(v),
    dataDir,
    ...storageConfig(v),
    ...chainConfig(v),
    ...contractsConfig(v),
    ...keysConfig(v, publicUrl),
    ...limitsConfig(v),
    ...budgetsConfig(v),
    ...messagesConfig(v),
    /** Undefined: the service takes no access tokens. */
    identityProvider: identityProviderConfig(v),
    upstreams: upstreamsConfig(v),
    ...proxyConfig(v),
    /** Undefined: agents are found by words only. */
    embeddings: embeddingsConfig(v),
    /** Of the index over meanings. */
    embeddingDimensions: v.EMBEDDINGS_DIMENSIONS ?? null,
    ...pricingConfig(v, new URL(publicUrl).host),
    faultPoint: v.FAULT_POINT,
    watchdogStallMs: v.WATCHDOG_STALL_MS,
  };
}

/**
 * The environment of a process of the service: what this process has, and below what the operator has set, `defaults`.
 * @returns `service` only the service's own variables, `all` everything a child needs
 */
export function childEnvironment(defaults: Record<string, string>) {
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const own = Object.fromEntries(inherited.filter(([name]) => name in VARIABLES || givenByFile(name)));
  const service = overlaid(defaults, own);
  return { service, all: { ...Object.fromEntries(inherited), ...service } };
}

/** Two environments as one: `set` over `defaults`, settings by name merged name by name, a file in place of a default. */
export function overlaid(defaults: Record<string, string>, set: Record<string, string>): Record<string, string> {
  const byFile = Object.keys(set).map(givenByFile);
  const merged = Object.entries<Variable>(VARIABLES)
    .filter(([name, { byName }]) => byName && defaults[name] && set[name])
    .map(([name]) => [name, `${defaults[name]},${set[name]}`]);
  const kept = Object.entries(defaults).filter(([name]) => !byFile.includes(name));
  return { ...Object.fromEntries(kept), ...set, ...Object.fromEntries(merged) };
}
