/** Requests as programs write them: what a shell makes of the one, and how values are written in the others. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { LANGUAGES, type SampleRequest, targetOf } from "../../core/request-samples.ts";

const BODY = { name: `it's "odd" $HOME \`x\``, on: true, none: null, list: [1, { deep: [] }] };
const plain: SampleRequest = {
  ...{ method: "get", baseUrl: "https://agents.test", path: "/api/v2/agent/{ref}/cred", places: { ref: "a/b?c" } },
  ...{ query: { q: "it's 5 & more" }, credential: "none", isPriced: false, answersJson: true },
};
const write: SampleRequest = {
  ...plain,
  ...{ method: "post", query: {}, body: JSON.stringify(BODY, null, 2), credential: "wallet", isPriced: true },
};

/** The words that a shell hands to curl. */
const wordsOf = (text: string): string[] =>
  execFileSync("bash", ["-c", `curl() { printf '%s\\0' "$@"; }; CREDENTIAL=0xabc API_KEY=key\n${text}`], {
    encoding: "utf8",
  })
    .split("\0")
    .slice(0, -1);

describe("a request as a program writes it", () => {
  it("has its places and its query escaped", () => {
    expect(targetOf(plain)).toBe("/api/v2/agent/a%2Fb%3Fc/cred?q=it%27s+5+%26+more");
  });

  it("reaches curl word by word, whatever is in it", () => {
    expect(wordsOf(LANGUAGES.curl(plain))).toEqual([`https://agents.test${targetOf(plain)}`]);
    const [verb, method, url, ...rest] = wordsOf(LANGUAGES.curl(write));
    expect([verb, method, url]).toEqual(["-X", "POST", "https://agents.test/api/v2/agent/a%2Fb%3Fc/cred"]);
    expect(rest).toEqual([
      ...["-H", "Authorization: Bearer 0xabc", "-H", "Content-Type: application/json"],
      ...["-d", JSON.stringify(BODY, null, 2)],
    ]);
    expect(wordsOf(LANGUAGES.curl({ ...plain, credential: "apiKey" }))).toContain("X-API-Key: key");
  });

  it("is a program that pays within a limit where there is a price, and plain otherwise", () => {
    const text = LANGUAGES.TypeScript(write);
    expect(text).toContain('client.setSpendControls({ maxAmountPerPayment: "$1" });');
    expect(text).toContain('await pay("https://agents.test/api/v2/agent/a%2Fb%3Fc/cred", {\n  method: "POST"');
    expect(text).toMatch(/"Authorization": `Bearer \$\{env\.CREDENTIAL\}`/);
    expect(LANGUAGES.TypeScript(plain)).toMatch(/^const response = await fetch\("[^"]+"\);\nconsole/);
    expect(LANGUAGES.TypeScript({ ...plain, credential: "apiKey" })).toMatch(/^import { env } from "node:process";\n/);
  });

  it("has JSON as Python writes it", () => {
    expect(LANGUAGES.Python(write)).toContain(`headers={"Authorization": f"Bearer {os.environ['CREDENTIAL']}"}`);
    expect(
      LANGUAGES.Python({ ...write, body: JSON.stringify({ on: true, none: null, list: [1], empty: {} }) }),
    ).toContain(
      'json={\n        "on": True,\n        "none": None,\n        "list": [\n            1,\n        ],\n        "empty": {},\n    },',
    );
    expect(LANGUAGES.Python(plain)).toContain(`params={\n        "q": "it's 5 & more",\n    }`);
  });

  it("keeps a body that is no JSON as it was typed", () => {
    for (const language of Object.values(LANGUAGES)) expect(language({ ...write, body: "{oops" })).toContain("{oops");
  });
});
