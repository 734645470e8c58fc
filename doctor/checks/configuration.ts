/** Checks of the environment alone: faults, contradictions, and what unset keys switch off. */
import { type Check, error, type Finding, ok, skipped, warning } from "../check.ts";

/** Faults of single variables and of pairs, as the processes refuse them at their start. */
const variables: Check = {
  name: "variables",
  run({ variables, problems }) {
    const count = (state: string) => variables.filter((each) => each.state === state).length;
    const summary = ok(
      `${count("set")} set, ${count("default")} with their default, ${count("unset")} unset (all of them: --variables)`,
    );
    return [
      summary,
      ...problems.map((problem) => error(problem, "Correct it: a process that reads it does not start.")),
    ];
  },
};

/** Chain ids of public networks with real money. */
const REAL_CHAINS: Record<number, string> = { 1: "Ethereum", 8453: "Base", 84532: "Base Sepolia" };

const addresses: Check = {
  name: "public addresses",
  run({ config }) {
    const { publicUrl, hosts } = config.service;
    const { hostname, protocol } = new URL(publicUrl);
    const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
    const findings: Finding[] = [];
    if (isLocal && config.chain.rpcUrls.some((url) => !/\/\/(localhost|127\.|\[::1\])/.test(url)))
      findings.push(
        warning(
          `PUBLIC_URL is ${publicUrl}`,
          "Set PUBLIC_URL to the address that clients use: tokens and links name it.",
        ),
      );
    else if (!isLocal && protocol !== "https:")
      findings.push(
        warning(`PUBLIC_URL is ${publicUrl}`, "Serve it by https: credentials and payments pass through it."),
      );
    else findings.push(ok(`${publicUrl}; accepted in signed texts: ${hosts.join(", ")}`));
    return findings;
  },
};

const chain: Check = {
  name: "chain",
  run({ config: { chain } }) {
    if (chain.rpcUrls.length === 0)
      return error("RPC_URL is not set", "Set RPC_URL to a JSON-RPC node of the chain: every process needs one.");
    const name = REAL_CHAINS[chain.id] ?? "a chain of your own";
    const nodes = chain.rpcUrls.map((url) => new URL(url).host).join(", ");
    if (chain.rpcUrls.length === 1 && REAL_CHAINS[chain.id])
      return warning(
        `${chain.id} (${name}) over one node, ${nodes}`,
        "Name a second node in RPC_URLS: without one the service stops when this node does.",
      );
    return ok(`${chain.id} (${name}) over ${nodes}`);
  },
};

/** What is not offered while a key is unset. `.env.example` has the meaning of each variable. */
const WITHOUT_KEY: [variable: string, consequence: string][] = [
  ["DEPLOYER_PRIVATE_KEY", "nothing is minted, verified or written on chain; such requests wait"],
  ["RECEIPT_SIGNER_PRIVATE_KEY", "no cred report is sold, and none is signed"],
  ["AGENT_CARD_PRIVATE_KEY", "the A2A agent card is not signed"],
  ["WEBHOOK_KEYS", "there are no webhooks, and requests to strangers are not signed"],
  ["IDP_ISSUER", "no access tokens of humans are accepted; wallets sign in"],
  ["MPP_SECRET_KEY", "payments by MPP are not offered"],
  ["OPS_PORT", "no process publishes metrics"],
];

const keys: Check = {
  name: "optional parts",
  run: ({ variables }) =>
    WITHOUT_KEY.map(([name, consequence]) => {
      const isSet = variables.find((each) => each.name === name)?.state === "set";
      return isSet ? ok("set", name) : skipped(`not set: ${consequence}`, name);
    }),
};

export const CONFIGURATION_CHECKS: readonly Check[] = [variables, addresses, chain, keys];
