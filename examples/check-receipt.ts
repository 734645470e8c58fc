/**
 * Checks the receipt of a cred report offline: `npx node examples/check-receipt.ts report.json 0x…`. The file is the answer
 * of `GET /api/v2/agent/{id}/cred-report`, the address is `receipts.signer` of `GET /api/v2`.
 */
import { readFileSync } from "node:fs";
import { keccak256, recoverTypedDataAddress, stringToHex } from "viem";

const [file, expectedSigner] = process.argv.slice(2);
if (!file || !expectedSigner) throw new Error("Name the report's file and the service's receipt signer.");
const { receipt, ...report } = JSON.parse(readFileSync(file, "utf8"));
const { domain, types, primaryType, message, signature, payload } = receipt;

const signer = await recoverTypedDataAddress({ domain, types, primaryType, message, signature });
const problems = [
  signer.toLowerCase() !== expectedSigner.toLowerCase() && `it is signed by ${signer}`,
  keccak256(stringToHex(payload)) !== message.payloadHash && "its payload was changed",
  JSON.stringify(JSON.parse(payload)) !== JSON.stringify(report) && "the report shown is not the one signed",
  message.score !== report.credScore.score && "the score shown is not the one signed",
  message.tokenId !== String(report.agent.tokenId) && "it is about another agent",
].filter(Boolean);

console.log(
  problems.length === 0 ? `valid: agent ${message.tokenId} had ${message.score} points` : problems.join("\n"),
);
process.exitCode = problems.length === 0 ? 0 : 1;
