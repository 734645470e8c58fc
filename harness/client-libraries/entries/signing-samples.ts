/** The samples of docs/use/signing-in.md for other languages, run as they stand there by the system's own programs. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { snippetOf } from "../../doc-snippets.ts";
import { scratchDirectory } from "../../scratch.ts";
import type { Client } from "../client.ts";

/** Debian's own, for which its packages are, and what finds these. */
const [PYTHON, GO] = ["/usr/bin/python3", "/usr/bin/go"];
const GO_PACKAGES = { GOPATH: "/usr/share/gocode", GO111MODULE: "off" };
const run = promisify(execFile);

type Sample = {
  /** What has to be installed, and whether it is. */
  needs: string;
  isThere(): Promise<unknown>;
  /** Runs the code. @returns the credential that it prints */
  credential(code: string, env: Record<string, string>): Promise<{ stdout: string }>;
};
const SAMPLES: Record<string, Sample> = {
  Python: {
    needs: "python3-ecdsa, python3-pycryptodome",
    isThere: () => run(PYTHON, ["-c", "import ecdsa, Cryptodome.Hash.keccak"]),
    credential: (code, env) => run(PYTHON, ["-c", `${code}\nprint(credential)`], { env }),
  },
  Go: {
    needs: "golang-go, golang-github-btcsuite-btcd-btcec-dev, golang-golang-x-crypto-dev",
    isThere: () => run(GO, ["list", "github.com/btcsuite/btcd/btcec"], { env: { ...process.env, ...GO_PACKAGES } }),
    credential(code, env) {
      const folder = scratchDirectory("go");
      writeFileSync(join(folder, "main.go"), code);
      return run(GO, ["run", join(folder, "main.go")], {
        env: { ...env, ...GO_PACKAGES, GOCACHE: join(folder, "cache") },
      });
    },
  },
};

export const SIGNING_SAMPLES = Object.entries(SAMPLES).map(
  ([language, { needs, isThere, credential }]): Client => ({
    name: `${language}, by docs/use/signing-in.md`,
    package: null,
    async run({ apiUrl, wallet }) {
      const { privateKey, address } = await wallet();
      const there = await isThere().then(
        () => true,
        () => false,
      );
      if (!there) return { did: "nothing", stopsAt: `not installed: ${needs}` };
      const code = snippetOf("docs/use/signing-in.md", `In ${language}`);
      const { stdout } = await credential(code, { SERVICE: apiUrl, PRIVATE_KEY: privateKey });
      const authorization = stdout.trim();
      assert.ok(authorization.startsWith(`Bearer ${address.toLowerCase()}:`), "the credential names the key's wallet");
      const { status } = await fetch(`${apiUrl}/api/v2/webhooks`, { headers: { authorization } });
      assert.equal(status, 200, "the credential signs in");
      return "signed in with a key, listed its webhooks";
    },
  }),
);
