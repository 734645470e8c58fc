/** Compiles the Solidity and writes what is committed of it: contracts/build/*.json and the ABI constants in abis/. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AbiEntry, type Build, EAS_PACKAGE, readBuild } from "./builds.ts";

const require = createRequire(import.meta.url);
const CONTRACTS = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(CONTRACTS);

/**
 * Contracts that need the slower code generator, because an event of theirs has more values than the plain one can
 * hold on the stack.
 */
const VIA_IR = ["Erc8004ReputationRegistry"];

/** The file in abis/ → the constants in it, each with what it is and the contract it is taken from. */
const ABI_FILES: Record<string, { about: string; constants: Record<string, string> }> = {
  "agent-commerce": { about: "jobs between agents (ERC-8183)", constants: { agentCommerceAbi: "AgentCommerce" } },
  identity: { about: "the identity token", constants: { identityAbi: "AgentIdentity" } },
  erc8004: {
    about: "the ERC-8004 identity, reputation and validation registries",
    constants: {
      erc8004IdentityAbi: "Erc8004IdentityRegistry",
      erc8004ReputationAbi: "Erc8004ReputationRegistry",
      erc8004ValidationAbi: "Erc8004ValidationRegistry",
    },
  },
  eas: {
    about: "the Ethereum Attestation Service and its schema registry",
    constants: { easAbi: `${EAS_PACKAGE}/EAS`, schemaRegistryAbi: `${EAS_PACKAGE}/SchemaRegistry` },
  },
  "attestation-indexer": {
    about: "the exchange's attestation indexer",
    constants: { attestationIndexerAbi: "AttestationIndexer" },
  },
  "cred-oracle": {
    about: "the per-token oracle of scores",
    constants: { credOracleAbi: "CredOracle" },
  },
  "cred-roots": {
    about: "the roots of the scores, and the example of a contract that reads them",
    constants: { credRootsAbi: "CredRoots", credGateAbi: "CredGate" },
  },
  handshakes: { about: "the handshake registry", constants: { handshakesAbi: "HandshakeRegistry" } },
  "service-token": { about: "the service's own token", constants: { serviceTokenAbi: "ServiceToken" } },
  usdc: { about: "USDC", constants: { usdcAbi: "Usdc" } },
  "contract-wallet": {
    about: "the contract wallet of the tests",
    constants: { contractWalletAbi: "ContractWallet" },
  },
  "neynar-scores": { about: "Neynar's scores", constants: { neynarScoresAbi: "NeynarScores" } },
  multicall3: { about: "Multicall3", constants: { multicall3Abi: "Multicall3" } },
};

/** Of the EAS package only what the service and its tests touch; the rest is deep delegation machinery. */
const EAS_ENTRIES = new Set([
  ...["Attested", "Revoked", "attest", "multiAttest", "revoke", "getAttestation", "isAttestationValid"],
  ...["getSchemaRegistry", "version", "Registered", "register", "getSchema", "AlreadyExists"],
  ...["AccessDenied", "AlreadyRevoked", "InvalidAttestation", "InvalidExpirationTime", "InvalidRevocation"],
  ...["InvalidSchema", "Irrevocable", "NotFound", "NotPayable", "WrongSchema"],
]);

/** Compiles every contract. @returns path below the project root → text of each file to commit */
export function compile(): Map<string, string> {
  const files = readdirSync(CONTRACTS).filter((file) => file.endsWith(".sol"));
  const viaIr = files.filter((file) => VIA_IR.includes(basename(file, ".sol")));
  const builds = [...compileGroup(files, false, viaIr), ...compileGroup(viaIr, true, [])];
  const texts = new Map<string, string>();
  for (const build of builds) texts.set(`contracts/build/${build.contract}.json`, `${JSON.stringify(build)}\n`);
  const abis = new Map(builds.map(({ contract, abi }) => [contract, abi]));
  for (const [file, { about, constants }] of Object.entries(ABI_FILES)) {
    const sections = Object.entries(constants).map(([name, contract]) =>
      abiConstant(name, abis.get(contract) ?? readBuild(contract).abi.filter((e) => EAS_ENTRIES.has(e.name ?? ""))),
    );
    const header = `/** ABI of ${about}. Written by \`npm run generate -- contracts\`: change the contract, not this file. */\n`;
    texts.set(`abis/${file}.ts`, `${header}\n${sections.join("\n")}`);
  }
  return texts;
}

/** @throws Error with the compiler's own messages; a warning fails as well */
function compileGroup(files: string[], viaIR: boolean, without: string[]): Build[] {
  const solc = require("solc") as { compile(input: string, callbacks: object): string; version(): string };
  const wanted = files.filter((file) => !without.includes(file));
  const source = (path: string) => {
    const file = path.startsWith("contracts/") ? join(ROOT, path) : join(ROOT, "node_modules", path);
    if (!existsSync(file)) return { error: `${path} not found` };
    return { contents: readFileSync(file, "utf8") };
  };
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(
      wanted.map((file) => [`contracts/${file}`, { content: source(`contracts/${file}`).contents }]),
    ),
    settings: {
      // Base is further than this; it is the oldest the libraries accept, so that any local chain runs the code.
      evmVersion: "cancun",
      optimizer: { enabled: true, runs: 200 },
      viaIR,
      // No metadata at the end of the code: a changed comment is not a changed contract.
      metadata: { bytecodeHash: "none", appendCBOR: false },
      outputSelection: Object.fromEntries(
        wanted.map((file) => [`contracts/${file}`, { "*": ["abi", "evm.bytecode.object"] }]),
      ),
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: source })) as {
    errors?: { formattedMessage: string }[];
    contracts: Record<string, Record<string, { abi: AbiEntry[]; evm: { bytecode: { object: string } } }>>;
  };
  if (output.errors?.length) throw new Error(output.errors.map((e) => e.formattedMessage).join("\n"));
  return wanted.map((file) => {
    const contract = basename(file, ".sol");
    const compiled = output.contracts[`contracts/${file}`]?.[contract];
    if (!compiled) throw new Error(`${file} must hold a contract named ${contract}`);
    return {
      contract,
      compiler: solc.version(),
      abi: compiled.abi,
      bytecode: `0x${compiled.evm.bytecode.object}`,
    };
  });
}

/** `export const <name> = [...] as const`, an entry a line, without the compiler's internal types. */
function abiConstant(name: string, abi: AbiEntry[]): string {
  const lines = abi.map((entry) => `  ${literal(entry)},\n`);
  return `// biome-ignore format: an entry a line\nexport const ${name} = [\n${lines.join("")}] as const;\n`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([key]) => key !== "internalType");
  return `{ ${members.map(([key, member]) => `${key}: ${literal(member)}`).join(", ")} }`;
}

/** The committed files that differ from what the sources compile to, as paths below the project root. */
export function staleFiles(texts: Map<string, string>): string[] {
  const differing = [...texts].filter(([path, text]) => readIfThere(join(ROOT, path)) !== text).map(([path]) => path);
  const left = readdirSync(join(CONTRACTS, "build")).map((file) => `contracts/build/${file}`);
  return [...differing, ...left.filter((path) => !texts.has(path))];
}

const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const texts = compile();
  if (process.argv.includes("--check")) {
    const stale = staleFiles(texts);
    for (const path of stale)
      console.error(`${path} does not match contracts/*.sol: run npm run generate -- contracts`);
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    rmSync(join(CONTRACTS, "build"), { recursive: true, force: true });
    for (const directory of ["contracts/build", "abis"]) mkdirSync(join(ROOT, directory), { recursive: true });
    for (const [path, text] of texts) writeFileSync(join(ROOT, path), text);
    console.log(`${texts.size} files written`);
  }
}
