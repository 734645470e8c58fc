/** A passkey without an authenticator: signs challenges as WebAuthn does, for wallets that verify P-256 on the chain. */
import { p256 } from "@noble/curves/nist.js";
import { bytesToHex, encodeAbiParameters, type Hex, hexToBytes, sha256, stringToBytes, toHex } from "viem";

const FLAGS = { userPresent: 0x01, userVerified: 0x04 };

/** The members of `WebAuthn.WebAuthnAuth`, as the contract wallet decodes them (contracts/PasskeyWallet.sol). */
const ASSERTION = [
  { name: "r", type: "bytes32" },
  { name: "s", type: "bytes32" },
  { name: "challengeIndex", type: "uint256" },
  { name: "typeIndex", type: "uint256" },
  { name: "authenticatorData", type: "bytes" },
  { name: "clientDataJSON", type: "string" },
] as const;

export type Passkey = { x: Hex; y: Hex; sign(hash: Hex): Hex };

/** @param origin of the page in which it was made */
export function newPasskey(origin: string): Passkey {
  const { secretKey, publicKey } = p256.keygen();
  const point = p256.Point.fromBytes(publicKey).toBytes(false);
  return {
    x: bytesToHex(point.slice(1, 33)),
    y: bytesToHex(point.slice(33)),
    sign(hash) {
      const challenge = Buffer.from(hexToBytes(hash)).toString("base64url");
      const clientDataJSON = JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false });
      const relyingParty = sha256(stringToBytes(new URL(origin).hostname), "bytes");
      const authenticatorData = Uint8Array.from([
        ...relyingParty,
        FLAGS.userPresent | FLAGS.userVerified,
        ...[0, 0, 0, 1],
      ]);
      const clientDataHash = sha256(stringToBytes(clientDataJSON), "bytes");
      const signature = p256.sign(Uint8Array.from([...authenticatorData, ...clientDataHash]), secretKey, {
        lowS: true,
      });
      return encodeAbiParameters(ASSERTION, [
        bytesToHex(signature.slice(0, 32)),
        bytesToHex(signature.slice(32)),
        BigInt(clientDataJSON.indexOf('"challenge"')),
        BigInt(clientDataJSON.indexOf('"type"')),
        toHex(authenticatorData),
        clientDataJSON,
      ]);
    },
  };
}
