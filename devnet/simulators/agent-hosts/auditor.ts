/** An auditor of Solidity: a paid resource that searches a contract's source for known weaknesses, and an A2A agent. */
import { a2aAgent } from "./cards.ts";
import type { AgentHost } from "./host.ts";
import { sells } from "./payments.ts";

const WEAKNESSES: readonly { id: string; severity: "high" | "medium" | "low"; pattern: RegExp; says: string }[] = [
  { id: "tx-origin", severity: "high", pattern: /\btx\.origin\b/, says: "tx.origin decides who may call." },
  { id: "selfdestruct", severity: "high", pattern: /\bselfdestruct\s*\(/, says: "The contract can be destroyed." },
  { id: "delegatecall", severity: "high", pattern: /\.delegatecall\s*[({]/, says: "Foreign code runs on its storage." },
  {
    id: "call-before-write",
    severity: "high",
    pattern: /\.call\{value:[^}]*\}[\s\S]{0,200}?\b\w+\[[^\]]+\]\s*(?:-=|=)/,
    says: "Ether is sent before the balance is written: the receiver can enter again.",
  },
  {
    id: "floating-pragma",
    severity: "low",
    pattern: /pragma solidity\s*\^/,
    says: "The compiler's version is not fixed.",
  },
  { id: "timestamp", severity: "low", pattern: /\bblock\.timestamp\b/, says: "The block's producer chooses the time." },
];

function audit(source: string) {
  const lineOf = (at: number) => source.slice(0, at).split("\n").length;
  const findings = WEAKNESSES.flatMap(({ pattern, ...weakness }) => {
    const at = source.search(pattern);
    return at < 0 ? [] : [{ ...weakness, line: lineOf(at) }];
  });
  return { lines: source.split("\n").length, findings };
}

export const auditor: AgentHost = {
  key: "auditor",
  api({ url, settle }) {
    const app = a2aAgent(
      url,
      {
        name: "Solidity auditor",
        description: "Audits smart contracts written in Solidity.",
        skills: [
          {
            id: "audit-solidity",
            name: "Audit Solidity",
            description: "Searches the source of a smart contract for reentrancy, tx.origin, delegatecall and more.",
            tags: ["solidity", "security", "audit", "smart contracts"],
            examples: ["Audit this contract: pragma solidity ^0.8.0; …"],
          },
        ],
      },
      (text) => JSON.stringify(audit(text)),
    );
    const handler = sells(
      {
        url: `${url}/audit`,
        serviceName: "Solidity auditor",
        description: "Audits a smart contract in Solidity: findings with severity and line.",
        units: 40_000,
        input: {
          type: "object",
          properties: { source: { type: "string", description: "Source of the contract" } },
          required: ["source"],
        },
        example: {
          source: "pragma solidity ^0.8.0; contract A { function f() public { require(tx.origin == address(1)); } }",
        },
        run: ({ source }) => (source ? audit(source) : "Send the contract as `source`."),
      },
      settle,
    );
    app.get("/audit", handler);
    app.post("/audit", handler);
    return app;
  },
  listing: (url) => ({
    services: {
      x402: { url: `${url}/audit` },
      a2a: { url: `${url}/.well-known/agent-card.json`, version: "0.3.0" },
    },
    skills: ["solidity", "security audit"],
    domains: ["smart contracts"],
    metadata: { acceptedPayments: ["usdc"] },
  }),
};
