/** Requests to strangers are signed (Web Bot Auth): Cloudflare's own library verifies them, and the directory proves its keys. */
import { createPublicKey, verify as verifyBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { calculateJwkThumbprint } from "jose";
import { expect, it } from "vitest";
import { verify } from "web-bot-auth";
import { verifierFromJWK } from "web-bot-auth/crypto";
import { openPublicHttp } from "../../clients/public-http.ts";
import { createRequestSigner } from "../../clients/request-signer.ts";
import { apiForTest, HOST } from "../api/support/api.ts";
import { perFile } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";
import { plainServer } from "./support/plain-server.ts";

const SITE = `https://${HOST}`;
const SECRETS = [`0x${"7e".repeat(32)}`, `0x${"01".repeat(32)}`] as const;
const signer = createRequestSigner(SECRETS, SITE);
const { keys } = signer.directory();
const server = perFile(plainServer);

it("signs every request to a stranger, each redirect for its own host, whatever headers it was given", async () => {
  const seen: IncomingMessage[] = [];
  server.answer = (incoming, outgoing) => {
    seen.push(incoming);
    outgoing.end("{}");
  };
  const http = openPublicHttp({ userAgent: "test", signer, loopback: true, limits: PATIENT });
  await http.request(`${server.url}/file?a=1`, { headers: { "signature-agent": '"https://evil.example"' } });
  await http.request(`${server.url.replace("127.0.0.1", "localhost")}/mcp`, { method: "POST", body: "{}" });
  await http.close();
  expect(seen.map(({ headers }) => headers.host)).toEqual([`127.0.0.1:${server.port}`, `localhost:${server.port}`]);
  for (const { headers, url } of seen) {
    expect(headers["signature-agent"]).toBe(`"${SITE}"`);
    expect(headers["signature-input"]).toContain('("@authority" "signature-agent")');
    const request = new Request(`http://${headers.host}${url}`, { headers: headers as Record<string, string> });
    await verify(request, await verifierFromJWK(keys[0]!));
    await expect(verify(request, await verifierFromJWK(keys[1]!))).rejects.toThrow();
    const elsewhere = new Request("http://elsewhere.example/", { headers: headers as Record<string, string> });
    await expect(verify(elsewhere, await verifierFromJWK(keys[0]!))).rejects.toThrow();
  }
});

it("has a key for each secret, always the same, and none of them is the secret", async () => {
  expect(createRequestSigner(SECRETS, SITE).directory().keys).toEqual(keys);
  expect(keys).toHaveLength(2);
  for (const key of keys) expect(key.kid).toBe(await calculateJwkThumbprint({ ...key }));
  expect(JSON.stringify(keys)).not.toContain('"d"');
});

it("shows the directory, signed by each key for the service's own host, whatever host is asked for", async () => {
  const api = await apiForTest({ deps: { requestSigner: signer } });
  const { status, headers, text } = await api.get("/.well-known/http-message-signatures-directory");
  expect([status, headers.get("content-type")]).toEqual([200, "application/http-message-signatures-directory+json"]);
  expect(JSON.parse(text)).toEqual({ keys });
  const inputs = headers.get("signature-input")!.split(", ");
  const signatures = headers.get("signature")!.split(", ");
  for (const [i, key] of keys.entries()) {
    const [, input] = /^key\d=(\("@authority";req\);created=\d+;expires=\d+;keyid="(?:[\w-]+)".*)$/.exec(inputs[i]!)!;
    expect(input).toContain(`keyid="${key.kid}"`);
    expect(input).toContain('tag="http-message-signatures-directory"');
    const base = `"@authority";req: ${HOST}\n"@signature-params": ${input}`;
    const bytes = Buffer.from(/:(.+):/.exec(signatures[i]!)![1]!, "base64");
    expect(verifyBytes(null, Buffer.from(base), createPublicKey({ key: { ...key }, format: "jwk" }), bytes)).toBe(true);
  }
});

it("shows an empty directory without a key", async () => {
  const api = await apiForTest();
  const { text, headers } = await api.get("/.well-known/http-message-signatures-directory");
  expect([JSON.parse(text), headers.get("signature")]).toEqual([{ keys: [] }, null]);
});
