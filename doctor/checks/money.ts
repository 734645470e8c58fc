/** Checks of accounts and payments: the deployer's right and funds, payees, the facilitator, MPP. */
import { formatEther } from "viem/utils";
import { checksum } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { type Check, error, type Finding, ok, skipped, warning } from "../check.ts";
import type { World } from "../world.ts";

/** Selector of `owner()`. */
const OWNER = "0x8da5cb5b";

const owner: Check = {
  name: "identity owner",
  needs: ["node"],
  async run({ chain, config, accounts }) {
    const answer = await chain.call({ to: config.contracts.identity.address, data: OWNER });
    if (!answer.ok || answer.data.length < 66)
      return error(
        "the identity contract names no owner",
        "Check identity in CONTRACTS: there is another contract or none.",
      );
    const owned = `0x${answer.data.slice(26, 66)}` as Address;
    if (accounts.deployer === null)
      return skipped(`${checksum(owned)}; DEPLOYER_PRIVATE_KEY is not set, so the service writes nothing`);
    if (accounts.deployer === owned) return ok(`${checksum(owned)}, the account of DEPLOYER_PRIVATE_KEY`);
    return error(
      `${checksum(owned)}, but DEPLOYER_PRIVATE_KEY is of ${checksum(accounts.deployer)}`,
      "Use the owner's key, or transfer the contract to this account: every mint and verification would revert.",
    );
  },
};

/** Funds of an account that pays gas. */
async function fundsOf({ chain, config }: World, account: Address | null, variable: string): Promise<Finding> {
  const subject = variable;
  if (account === null) return skipped("not set", subject);
  const wei = await chain.balance(account);
  const { minBalanceWei } = config.sender;
  const shown = `${checksum(account)} has ${formatEther(wei)} ETH`;
  if (wei === 0n) return error(shown, "Fund it: without ether no transaction is mined.", subject);
  if (wei < minBalanceWei)
    return warning(
      `${shown}, less than TX_MIN_BALANCE_MILLIETHER (${formatEther(minBalanceWei)} ETH)`,
      "Fund it.",
      subject,
    );
  return ok(shown, subject);
}

const funds: Check = {
  name: "funds",
  needs: ["node"],
  run: async (world) =>
    Promise.all([
      fundsOf(world, world.accounts.deployer, "DEPLOYER_PRIVATE_KEY"),
      fundsOf(world, world.accounts.facilitator, "FACILITATOR_PRIVATE_KEY"),
    ]),
};

const payees: Check = {
  name: "payees",
  run({ config, accounts }) {
    const { payTo } = config.payments;
    if (config.pricing.phase === "free") return ok("PRICING_PHASE is free: nothing is sold");
    if (!payTo)
      return error(
        "PRICING_PHASE is paid, and PAY_TO_DEPLOYER and PAY_TO_TREASURY are not set",
        "Set both, or PRICING_PHASE=free: the API does not start otherwise.",
      );
    const contracts = new Set<string>(Object.values(config.contracts).map(({ address }) => address));
    return Object.entries({ PAY_TO_DEPLOYER: payTo.deployer, PAY_TO_TREASURY: payTo.treasury }).map(
      ([subject, payee]) => {
        if (/^0x0{40}$/.test(payee) || contracts.has(payee))
          return error(`${checksum(payee)}`, "Name an account of yours: money sent there is lost.", subject);
        const note = payee === accounts.deployer ? ", the account of DEPLOYER_PRIVATE_KEY" : "";
        return ok(`${checksum(payee)}${note}`, subject);
      },
    );
  },
};

const facilitator: Check = {
  name: "facilitator",
  async run({ facilitator, accounts, config }) {
    if (config.pricing.phase === "free" && !facilitator && !accounts.facilitator)
      return ok("not needed: nothing is sold");
    if (!facilitator) {
      if (accounts.facilitator) return ok("the API settles payments itself, with FACILITATOR_PRIVATE_KEY");
      return warning(
        "neither FACILITATOR_URL nor FACILITATOR_PRIVATE_KEY is set",
        "Set one of them: without it only payments by the hash of a transaction are accepted.",
      );
    }
    const network = `eip155:${config.chain.id}`;
    const kinds = await facilitator();
    const suits = kinds.find(
      (kind) => kind.x402Version === 2 && kind.scheme === "exact" && [network, "eip155:*"].includes(kind.network),
    );
    if (suits) return ok(`settles exact on ${network} (x402 v2)`);
    const listed = kinds.slice(0, 6).map(({ x402Version, scheme, network }) => `v${x402Version} ${scheme} ${network}`);
    return error(
      `does not settle exact on ${network} in x402 v2; it lists ${listed.join(", ") || "nothing"}`,
      "Set FACILITATOR_URL to one that does: payments by signature would not be settled.",
    );
  },
};

const mpp: Check = {
  name: "MPP",
  async run({ tempo, config }) {
    if (!tempo || !config.mpp) return skipped("not configured (TEMPO_RPC_URL, MPP_SECRET_KEY)");
    const { chainId, currency } = config.mpp;
    const answered = await tempo.request("eth_chainId", []);
    if (!answered.ok) return error(answered.message, "Check TEMPO_RPC_URL.", tempo.host);
    const number = Number(answered.result);
    if (number !== chainId)
      return error(`chain ${number}, but TEMPO_CHAIN_ID is ${chainId}`, "Correct one of the two.", tempo.host);
    const code = await tempo.request("eth_getCode", [currency, "latest"]);
    if (!code.ok || code.result === "0x")
      return error(
        `no code at MPP_CURRENCY_ADDRESS ${checksum(currency)}`,
        "Name the token that payments are made in.",
        tempo.host,
      );
    return ok(`chain ${number}, token ${checksum(currency)}`, tempo.host);
  },
};

export const MONEY_CHECKS: readonly Check[] = [owner, funds, payees, facilitator, mpp];
