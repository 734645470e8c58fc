/** The sample of docs/use/signing-in.md for Python, run as it stands there by the Python of the system. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { snippetOf } from "../../doc-snippets.ts";
import type { Client } from "../client.ts";

/** Debian's own, for which its packages are. */
const PYTHON = "/usr/bin/python3";
const MODULES = "import ecdsa, Cryptodome.Hash.keccak";
const python = (code: string, env: Record<string, string> = {}) => promisify(execFile)(PYTHON, ["-c", code], { env });

export const PYTHON_SAMPLES: Client[] = [
  {
    name: "Python, by docs/use/signing-in.md",
    package: null,
    async run({ apiUrl, wallet }) {
      const { privateKey, address } = await wallet();
      const isThere = await python(MODULES).then(
        () => true,
        () => false,
      );
      if (!isThere) return { did: "nothing", stopsAt: "python3-ecdsa and python3-pycryptodome are not installed" };
      const code = `${snippetOf("docs/use/signing-in.md", "In Python")}\nprint(credential)`;
      const { stdout } = await python(code, { SERVICE: apiUrl, PRIVATE_KEY: privateKey });
      const authorization = stdout.trim();
      assert.ok(authorization.startsWith(`Bearer ${address.toLowerCase()}:`), "the credential names the key's wallet");
      const { status } = await fetch(`${apiUrl}/api/v2/webhooks`, { headers: { authorization } });
      assert.equal(status, 200, "the credential signs in");
      return "signed in with a key, listed its webhooks";
    },
  },
];
