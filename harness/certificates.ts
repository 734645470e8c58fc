/** Authorities of certificates of a test's own, and the certificates that they sign: made by OpenSSL, when the machine has it. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAMS } from "./programs.ts";

/** Paths of PEM files. */
export type Certificate = { certificate: string; key: string };

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

function openssl(...words: string[]): void {
  if (PROGRAMS.openssl.path === undefined) throw new Error("openssl is not installed");
  execFileSync(PROGRAMS.openssl.path, words, { stdio: "pipe" });
}

/** @param directory in which its files are written, with `name` before each */
export function createAuthority(directory: string, name: string) {
  const files = (of: string): Certificate => ({
    certificate: join(directory, `${name}-${of}.crt`),
    key: join(directory, `${name}-${of}.key`),
  });
  const own = files("ca");
  const written = ({ key, certificate }: Certificate) => ["-keyout", key, "-out", certificate];
  openssl("req", "-x509", ...NEW_KEY, ...written(own), "-subj", `/CN=${name}`, "-days", "2");
  return {
    ...own,
    /** @param days for which it is valid from now on; with 0 it has expired a second later */
    sign(commonName: string, { days = 2 } = {}): Certificate {
      const made = files(`${commonName}-${days}`);
      const request = join(directory, "request.csr");
      const extensions = join(directory, "extensions.txt");
      writeFileSync(extensions, `subjectAltName=DNS:${commonName}\n`);
      openssl("req", ...NEW_KEY, "-keyout", made.key, "-out", request, "-subj", `/CN=${commonName}`);
      const signed = ["-CA", own.certificate, "-CAkey", own.key, "-CAcreateserial", "-extfile", extensions];
      openssl("x509", "-req", "-in", request, "-out", made.certificate, ...signed, "-days", String(days));
      return made;
    },
  };
}
