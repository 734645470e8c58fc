/** The service's description and how to sign in, for all discovery documents. */
import type { Config } from "../../config/config.ts";
import { humanUpdateText, siwaText, siweText } from "../../core/callers/signed-texts.ts";

export const DESCRIPTION =
  "Identity and reputation of AI agents on Base: an identity others can check, a reputation that is earned.";

/** How agents and people sign in; {words} in braces are filled in by the signer. */
export function signInInfo({
  service,
  chain,
  identityProvider,
}: Pick<Config, "service" | "chain" | "identityProvider">) {
  const header = "Authorization: Bearer {address}:{timestamp}:{signature}";
  const expiry = "1 hour after its timestamp";
  return {
    type: "SIWA",
    agent: { type: "SIWA", header, message: siwaText(service.hosts[0]!, "{address}", "{timestamp}"), expiry },
    human: { type: "SIWE", header, message: humanMessage(service, chain.id), expiry },
    ownerUpdate: {
      message: humanUpdateText(service.name, "{tokenId}", "{timestamp}", {
        host: service.hosts[0]!,
        digest: "{digest}",
      }),
      digest: "SHA-256 in hex of the body without message and signature, in canonical form (RFC 8785)",
      expiry: "5 minutes after its timestamp",
    },
    identityProvider: identityProvider?.client
      ? { name: identityProvider.client.name, issuer: identityProvider.issuer }
      : null,
  };
}

const humanMessage = (service: Config["service"], chainId: number) =>
  siweText({
    host: service.hosts[0]!,
    address: "{address}",
    serviceName: service.name,
    webUrl: service.webUrl,
    chainId,
    timestamp: "{timestamp}",
    issuedAt: "{timestamp as ISO 8601}",
  });
