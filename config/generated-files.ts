/** The files that follow from the list of variables: `.env.example`, and the variables of each process in compose.yaml. */
import { PROCESSES, type Variable } from "./variable.ts";
import { GROUPS, VARIABLES, type VariableName } from "./variables.ts";

/** Variables that compose.yaml sets itself: ports, addresses inside the network, trusted proxies. */
export const FIXED_IN_COMPOSE: readonly VariableName[] = [
  ...(["PUBLIC_URL", "TRUSTED_PROXIES", "PORT", "HOST", "OPS_PORT", "OPS_HOST", "DATA_DIR"] as const),
  ...(["INDEXER_PORT", "INDEXER_HOST", "INDEXER_URL", "REDIS_URL"] as const),
  ...(["DATABASE_URL", "INDEXER_DATABASE_URL", "MIGRATION_DATABASE_URL"] as const),
];
/** Variables of tests. */
const NOT_DEPLOYED: readonly VariableName[] = ["FAULT_POINT", "WATCHDOG_STALL_MS"];
/** Variables without a default that a deployment must set, with the sentence that the container engine shows. */
const REQUIRED_IN_COMPOSE: { [K in VariableName]?: string } = { RPC_URL: "?a JSON-RPC node of Base" };
/** The part of compose.yaml that `npm run generate -- env-example` writes. */
const COMPOSE_BLOCK = /(?<=\n# variables: begin[^\n]*\n).*?(?=# variables: end)/s;

/** compose.yaml with one block per process that hands the process the variables that it reads, and no others. */
export function composeFile(text: string): string {
  const blocks = PROCESSES.map((process) => {
    const handed = Object.entries<Variable>(VARIABLES)
      .filter(([, { readBy }]) => readBy.includes(process))
      .map(([name]) => name as VariableName)
      .filter((name) => !FIXED_IN_COMPOSE.includes(name) && !NOT_DEPLOYED.includes(name))
      .map((name) => `  ${name}: \${${name}:${REQUIRED_IN_COMPOSE[name] ?? "-"}}`);
    return `x-${process}-variables: &${process}-variables\n${handed.join("\n")}\n`;
  });
  if (!COMPOSE_BLOCK.test(text)) throw new Error("compose.yaml has no block of variables");
  return text.replace(COMPOSE_BLOCK, () => blocks.join("\n"));
}

/** What an operator sets, in the order of `.env.example`: where the service's parts are, who is paid, and its two keys. */
export const SET_BY_OPERATORS: readonly VariableName[] = [
  ...(["DATABASE_URL", "REDIS_URL", "RPC_URL", "RPC_URLS", "PUBLIC_URL", "TRUSTED_PROXIES"] as const),
  ...(["PAY_TO_DEPLOYER", "PAY_TO_TREASURY", "DEPLOYER_PRIVATE_KEY", "RECEIPT_SIGNER_PRIVATE_KEY"] as const),
];

/** The text of `.env.example`: every variable with its meaning and default, those that an operator sets first. */
export function envExample(): string {
  const lines = [
    "# Every variable of the service. All have defaults or may stay unset; the local stack needs none of them.",
    "# NAME_FILE names a file that holds the value of NAME.",
  ];
  const isFirst = (name: string) => SET_BY_OPERATORS.some((first) => first === name);
  const first = SET_BY_OPERATORS.map((name): [string, Variable] => [name, VARIABLES[name]]);
  const others = Object.entries(GROUPS).map(([group, variables]): [string, [string, Variable][]] => [
    group,
    Object.entries(variables).filter(([name]) => !isFirst(name)),
  ]);
  for (const [group, variables] of [["What an operator sets", first] as const, ...others]) {
    lines.push("", `## ${group}`);
    for (const [name, v] of variables)
      lines.push(`# ${v.doc}`, v.default === undefined ? `# ${name}=` : `${name}=${v.default}`);
  }
  return `${lines.join("\n")}\n`;
}
