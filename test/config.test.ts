/** Configuration: one list of variables, every problem told at once, .env.example equal to it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_BUDGETS } from "../config/budgets.ts";
import { formerVariables, loadConfig, overlaid } from "../config/config.ts";
import { STACK_FILE } from "../config/environment.ts";
import { envExample, SET_BY_OPERATORS } from "../config/generated-files.ts";
import { DEFAULT_LIMITS } from "../config/limits.ts";
import { ConfigError, PROCESSES, type Process } from "../config/variable.ts";
import { forgivingConfig, variableValues } from "../config/variable-values.ts";
import { VARIABLES } from "../config/variables.ts";
import { RATE_POLICIES, type RatePolicyName } from "../core/callers/rate-policies.ts";
import { SHARED_PLACES } from "../core/callers/shared-places.ts";
import { limitsText } from "../devnet/generous-rates.ts";
import { folderOfTest } from "./support/folders.ts";

const emptyDirectory = () => folderOfTest("config");
let DATA_DIR: string;
beforeEach(() => {
  DATA_DIR = emptyDirectory();
});

describe(".env.example", () => {
  const text = readFileSync(new URL("../.env.example", import.meta.url), "utf8");

  it("is what config/ says (npm run generate -- env-example writes it)", () => {
    expect(text).toBe(envExample());
  });

  it("is a usable environment that changes nothing", () => {
    expect(loadConfig({ ...parseEnv(text), DATA_DIR })).toEqual(loadConfig({ DATA_DIR }));
  });

  it("begins with the ten that an operator sets", () => {
    const named = [...text.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
    expect(SET_BY_OPERATORS).toHaveLength(10);
    expect(named.slice(0, 10)).toEqual(SET_BY_OPERATORS);
  });

  it("and the documents name no variable of an earlier version", () => {
    const root = new URL("..", import.meta.url);
    const pages = readdirSync(new URL("docs", root), { recursive: true, encoding: "utf8" }).map(
      (page) => `docs/${page}`,
    );
    for (const page of [".env.example", "README.md", ...pages.filter((path) => path.endsWith(".md"))]) {
      const words = readFileSync(new URL(page, root), "utf8").match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [];
      expect(formerVariables(Object.fromEntries(words.map((word) => [word, "named"]))), page).toEqual([]);
    }
  });

  it("names every variable once", () => {
    for (const name of Object.keys(VARIABLES)) expect(text.match(new RegExp(`^(# )?${name}=`, "gm"))).toHaveLength(1);
  });
});

describe("docs/operate/limits.md", () => {
  it("shows every limit and budget of a day with its default and its name", () => {
    const text = readFileSync(new URL("../docs/operate/limits.md", import.meta.url), "utf8");
    const rows = text.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    const number = (of: number) => of.toLocaleString("en");
    const { rates } = loadConfig({ DATA_DIR });
    const policies = Object.entries(RATE_POLICIES).map(([name, { window }]) => [
      ...[`\`${name}\``, `${number(rates[name as RatePolicyName])} a ${window}`],
    ]);
    const first = rows.findIndex((cells) => cells[1] === "policy") + 2;
    expect(rows.slice(first, first + policies.length).map((cells) => cells.slice(1, 3))).toEqual(policies);
    const from = rows.findIndex(([, first]) => first === "place of");
    const places = Object.values(SHARED_PLACES).map(({ what, perHolder, inAll, ...more }) => [
      ...[what, number(perHolder), number(inAll)],
      "limits" in more ? more.limits.map((name) => `\`${name}\``).join(", ") : "",
    ]);
    const shownPlaces = rows.slice(from + 2, from + 2 + places.length).map((cells) => cells.slice(1, 5));
    expect(shownPlaces).toEqual(places);
    for (const name of Object.keys(DEFAULT_LIMITS)) expect(text, name).toContain(`\`${name}\``);
    const budgets = Object.entries(DEFAULT_BUDGETS).map(([name, budget]) => [`\`${name}\``, number(budget)]);
    const firstBudget = rows.findIndex((cells) => cells[1] === "budget" && cells[2] === "default") + 2;
    expect(rows.slice(firstBudget, firstBudget + budgets.length).map((cells) => cells.slice(1, 3))).toEqual(budgets);
  });

  it("takes concurrent limits from the list: no other file says a number of its own", () => {
    const files = readdirSync(new URL("..", import.meta.url), { recursive: true, encoding: "utf8" });
    const product = files.filter((file) => /^(api|card-renderer|core|db|payments|wiring)\/.*\.ts$/.test(file));
    const uses = product.flatMap((file) => {
      const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
      return [...text.matchAll(/(?<!function |[.#])\b(?:concurrencyLimit|places)\((?<given>[^)]+)/g)].map(
        ({ groups }) => groups!.given!,
      );
    });
    expect(uses.length).toBeGreaterThan(6);
    const named = new RegExp(`^"(${Object.keys(SHARED_PLACES).join("|")})"|SHARED_PLACES|\\bperHolder\\b`);
    expect(uses.filter((given) => !named.test(given))).toEqual([]);
  });
});

describe("loadConfig", () => {
  it("defaults to the live contracts and start blocks", () => {
    const config = loadConfig({ DATA_DIR });
    expect(config.contracts.identity).toEqual({
      address: "0x2e3b541c59d38b84e3bc54e977200230a204fe60",
      startBlock: 42254000,
    });
    expect(config.contracts.erc8004Identity.startBlock).toBe(41663783);
    expect(config.service).toMatchObject({
      name: "Helixa",
      prefix: "helixa",
      publicUrl: "http://localhost:4000",
      hosts: ["localhost:4000"],
    });
  });

  it("hosts of signed texts are hosts as a browser shows them, and nothing else", () => {
    const hosts = (SERVICE_HOST: string) => loadConfig({ DATA_DIR, SERVICE_HOST }).service.hosts;
    const site = ["api.example.org", "example.org", "www.example.org", "localhost:4000", "[::1]:4000"];
    expect(hosts(site.join(", "))).toEqual(site);
    for (const bad of ["https://example.org", "example.org/", "a b", "Sign-In With Agent: example.org", "a:b", "a\nb"])
      expect(() => hosts(bad), bad).toThrow(/^SERVICE_HOST must be a host name/);
  });

  it("is served at the root of a host: a path is refused with the reason", () => {
    const at = (PUBLIC_URL: string) => loadConfig({ DATA_DIR, PUBLIC_URL }).service.publicUrl;
    expect(at("https://agents.example/")).toBe("https://agents.example");
    expect(at("http://[2001:db8::1]:4000")).toBe("http://[2001:db8::1]:4000");
    for (const below of ["https://example.org/agents/", "https://example.org/agents", "https://example.org/?a=b"])
      expect(() => at(below), below).toThrow(/^PUBLIC_URL must be the root of a host, [^(]*$/);
    expect(() => loadConfig({ DATA_DIR, WEB_URL: "https://example.org/app" })).toThrow(/^WEB_URL must/);
  });

  it("tells every problem at once, a line each", () => {
    const bad = {
      PORT: "70000",
      RPC_URL: "ftp://node",
      ATTESTERS: "0x1",
      PRICING_PHASE: "gratis",
      DATA_DIR,
    };
    expect(() => loadConfig(bad)).toThrow(ConfigError);
    try {
      loadConfig(bad);
    } catch (error) {
      const lines = (error as Error).message.split("\n");
      expect(lines.map((line) => line.split(" ")[0]).sort()).toEqual(["ATTESTERS", "PORT", "PRICING_PHASE", "RPC_URL"]);
    }
  });

  it("takes limits by name, refuses names and numbers that cannot be, and leaves the others as they are", () => {
    const limits = (LIMITS: string) => loadConfig({ DATA_DIR, LIMITS });
    const config = limits("reads=7, streams=0, webhooks-of-wallet=3, reads=8");
    expect(config.rates).toEqual({ ...loadConfig({ DATA_DIR }).rates, reads: 8 });
    expect(config.streams).toEqual({ perClient: 0, perProcess: SHARED_PLACES.streams.inAll });
    expect(config.webhooks.perWallet).toBe(3);
    expect(limits(limitsText(DEFAULT_LIMITS))).toEqual(loadConfig({ DATA_DIR }));
    for (const [bad, problem] of [
      ["readings=7", /^LIMITS has no readings: its names are reads, reads-by-key, /],
      ["reads", /^LIMITS has a value for reads that must be a whole number/],
      ["reads=-1", /^LIMITS has a value for reads that must be a whole number/],
      ["proofs-of-agent=0", /^LIMITS has a value for proofs-of-agent that .*>=1/],
    ] as const)
      expect(() => limits(bad), bad).toThrow(problem);
  });

  it("takes contracts by name: an address, the block where its history begins, or both", () => {
    const live = loadConfig({ DATA_DIR }).contracts;
    const contracts = (CONTRACTS: string) => loadConfig({ DATA_DIR, CONTRACTS }).contracts;
    const [one, other] = [`0x${"aB".repeat(20)}`, `0x${"12".repeat(20)}`];
    expect(contracts(`eas=${one}@7,handshakes=${one},serviceToken=@9,usdc=${one},eas=${other}`)).toEqual({
      ...live,
      eas: { address: other, startBlock: 7 },
      handshakes: { ...live.handshakes, address: one.toLowerCase() },
      serviceToken: { ...live.serviceToken, startBlock: 9 },
      usdc: { address: one.toLowerCase() },
    });
    expect(live).not.toHaveProperty("agentCommerce");
    expect(contracts("agentCommerce=@9")).toEqual(live);
    expect(contracts(`agentCommerce=${one}`).agentCommerce!.startBlock).toBe(42_254_000);
    for (const [bad, problem] of [
      ["weth=0x1", /^CONTRACTS has no weth: its names are identity, /],
      ["eas=0x1", /^CONTRACTS has a value for eas that must be an address, @ and the block/],
      ["eas", /^CONTRACTS has a value for eas that must be an address/],
      [`usdc=${one}@7`, /^CONTRACTS has a value for usdc that must be a 0x address of 20 bytes/],
    ] as const)
      expect(() => contracts(bad), bad).toThrow(problem);
  });

  it("merges two environments name by name where a variable has settings by name", () => {
    const merged = overlaid({ PORT: "1", HOST: "a", LIMITS: "reads=1,writes=2" }, { PORT: "2", LIMITS: "reads=3" });
    expect(merged).toEqual({ PORT: "2", HOST: "a", LIMITS: "reads=1,writes=2,reads=3" });
    expect(overlaid({ LIMITS: "reads=1" }, {})).toEqual({ LIMITS: "reads=1" });
  });

  it.each([
    ["RATE_READS_PER_CLIENT", "LIMITS sets"],
    ["WEBHOOKS_IN_ALL", "LIMITS sets"],
    ["EMBEDDINGS_TEXTS_PER_DAY", "DAILY_BUDGETS sets"],
    ["EAS_START_BLOCK", "CONTRACTS sets"],
    ["MPP_CONFIRMATIONS", "its default has become fixed"],
  ])("refuses %s of an earlier version: %s…, unless it is empty", (name, instead) => {
    const refusal = `${name} is not a variable any more: ${instead}`;
    expect(() => loadConfig({ DATA_DIR, [name]: "5" })).toThrow(refusal);
    expect(loadConfig({ DATA_DIR, [name]: "" })).toEqual(loadConfig({ DATA_DIR }));
  });

  it("an identity provider is named whole or not at all", () => {
    const whole = { IDP_ISSUER: "idp", IDP_AUDIENCE: "us", IDP_JWKS_URL: "https://idp.test/jwks.json" };
    expect(loadConfig({ DATA_DIR }).identityProvider).toBeUndefined();
    expect(loadConfig({ DATA_DIR, ...whole }).identityProvider).toEqual({
      issuer: "idp",
      audience: "us",
      jwksUrl: "https://idp.test/jwks.json",
      requiredClaims: [],
    });
    for (const name of Object.keys(whole))
      expect(() => loadConfig({ DATA_DIR, ...whole, [name]: "" })).toThrow(ConfigError);
    // The terminal as its client: a provider that is found below a URL.
    const client = { IDP_CLIENT_ID: "terminal", IDP_AUDIENCE_PARAMETER: "resource" };
    expect(() => loadConfig({ DATA_DIR, ...whole, ...client })).toThrow(/IDP_ISSUER that is a URL/);
    expect(() => loadConfig({ DATA_DIR, ...client })).toThrow(/IDP_CLIENT_ID needs/);
    const there = { ...whole, ...client, IDP_ISSUER: "https://login.example/realm" };
    expect(loadConfig({ DATA_DIR, ...there }).identityProvider?.client).toEqual({
      ...{ id: "terminal", name: "login.example", scope: "openid", audienceParameter: "resource" },
    });
  });

  it("is in the phase paid unless it is told to be free, and refuses it without both of the addresses that are paid", () => {
    const payees = { PAY_TO_DEPLOYER: `0x${"1".repeat(40)}`, PAY_TO_TREASURY: `0x${"2".repeat(40)}` };
    expect(loadConfig({ DATA_DIR })).toMatchObject({ pricing: { phase: "paid" } });
    expect(loadConfig({ DATA_DIR }).payments.payTo).toBeUndefined();
    expect(loadConfig({ DATA_DIR, PRICING_PHASE: "free" }, { of: "api" }).pricing.phase).toBe("free");
    expect(() => loadConfig({ DATA_DIR }, { of: "api" })).toThrow(
      /^PRICING_PHASE is paid, so PAY_TO_DEPLOYER and PAY_TO_TREASURY must name the addresses that are paid/,
    );
    for (const one of Object.keys(payees))
      for (const PRICING_PHASE of ["free", "paid"])
        expect(() => loadConfig({ DATA_DIR, PRICING_PHASE, ...payees, [one]: "" })).toThrow(ConfigError);
    expect(loadConfig({ DATA_DIR, ...payees }).payments.payTo).toEqual({
      deployer: payees.PAY_TO_DEPLOYER,
      treasury: payees.PAY_TO_TREASURY,
    });
  });

  it("gives a process its own variables only, whatever its environment holds", () => {
    const sender = `0x${"5".repeat(64)}`;
    const receipts = `0x${"6".repeat(64)}`;
    const env = {
      DATA_DIR,
      DEPLOYER_PRIVATE_KEY: sender,
      RECEIPT_SIGNER_PRIVATE_KEY: receipts,
      PULL_INTERVAL: "5m",
      PRICING_PHASE: "free",
    };
    const of = (process: Process) => loadConfig(env, { of: process });
    expect(PROCESSES.map((process) => of(process).sender.privateKey)).toEqual([
      undefined,
      sender,
      undefined,
      undefined,
    ]);
    expect(PROCESSES.map((process) => of(process).receipts.privateKey)).toEqual([
      ...[receipts, receipts],
      ...[undefined, undefined],
    ]);
    expect(of("workers").upstreams.pullMs).toBe(300_000);
    expect(of("api").upstreams.pullMs).toBe(3_600_000);
    // A secret it does not use may stand in its environment, and stays out of its log.
    expect(of("indexer").secrets).toEqual(expect.arrayContaining([sender.slice(2), receipts.slice(2)]));
  });

  it("has no address of development written into tokens, unless it is told to", () => {
    const writes = (env: Record<string, string>) => loadConfig({ DATA_DIR, ...env }).tokenUris.write;
    expect(writes({ PUBLIC_URL: "https://agents.example.com" })).toBe(true);
    expect(writes({ PUBLIC_URL: "https://agents.example.com", TOKEN_URIS: "false" })).toBe(false);
    for (const host of ["localhost", "box.localhost", "box.local", "box", "10.0.0.7", "[::1]"])
      expect(writes({ PUBLIC_URL: `https://${host}:4000` })).toBe(false);
    expect(writes({ PUBLIC_URL: "http://agents.example.com" })).toBe(false);
    expect(writes({})).toBe(false);
    expect(writes({ TOKEN_URIS: "true" })).toBe(true);
  });

  it("refuses one key for the two senders", () => {
    const key = `0x${"5".repeat(64)}`;
    expect(() => loadConfig({ DATA_DIR, DEPLOYER_PRIVATE_KEY: key, FACILITATOR_PRIVATE_KEY: key })).toThrow(
      /two senders/,
    );
  });

  it("never prints a secret", () => {
    const secret = `0x${"ab".repeat(31)}`;
    expect(() => loadConfig({ DEPLOYER_PRIVATE_KEY: secret, DATA_DIR })).toThrow(/^DEPLOYER_PRIVATE_KEY (?!.*abab)/);
  });

  describe("a value in a file", () => {
    const key = `0x${"5".repeat(64)}`;
    const inFile = (text: string) => {
      const path = join(emptyDirectory(), "secret");
      writeFileSync(path, text);
      return path;
    };

    it("is that of the variable, without the line's end, and no log line may contain it", () => {
      const env = {
        DATA_DIR,
        DEPLOYER_PRIVATE_KEY_FILE: inFile(`${key}\n`),
        DATABASE_URL_FILE: inFile("postgres://app:a-long-password@db/agents\r\n"),
      };
      const config = loadConfig(env);
      expect(config.sender.privateKey).toBe(key);
      expect(config.database.url).toBe("postgres://app:a-long-password@db/agents");
      expect(config.secrets).toEqual(expect.arrayContaining([key.slice(2), "a-long-password"]));
    });

    it("takes the place of what the running local stack and its defaults say", () => {
      writeFileSync(join(DATA_DIR, STACK_FILE), 'DATABASE_URL="postgres://local/agents"\nGITHUB_TOKEN="simulated"\n');
      const GITHUB_TOKEN_FILE = inFile("real");
      const token = (env: Record<string, string>) => loadConfig(env).upstreams.proofPlatforms.github.token;
      expect(token({ DATA_DIR })).toBe("simulated");
      expect(token({ DATA_DIR, GITHUB_TOKEN_FILE })).toBe("real");
      expect(loadConfig({ DATA_DIR, DATABASE_URL_FILE: inFile("postgres://own/agents") }).http.port).toBe(4000);
      expect(overlaid({ GITHUB_TOKEN: "simulated", PORT: "1" }, { GITHUB_TOKEN_FILE })).toEqual({
        ...{ GITHUB_TOKEN_FILE, PORT: "1" },
      });
    });

    it("is refused beside a value of the variable itself", () => {
      const env = { DATA_DIR, DEPLOYER_PRIVATE_KEY: key, DEPLOYER_PRIVATE_KEY_FILE: inFile(key) };
      expect(() => loadConfig(env)).toThrow(/^DEPLOYER_PRIVATE_KEY and DEPLOYER_PRIVATE_KEY_FILE are both set: /);
    });

    it.each([
      ["REDIS_URL", () => "/nonexistent/redis", "names PATH, which cannot be read: there is no such file"],
      ["REDIS_URL", emptyDirectory, "names PATH, which cannot be read: it is a directory"],
      ["GITHUB_TOKEN", () => inFile("\n"), "names PATH, which is empty"],
      [
        "DATABASE_URL",
        () => inFile("mysql://a:password@b"),
        "must be a postgres:// or postgresql:// URL; /, ? and @ of a password are %2F, %3F and %40",
      ],
    ])("of %s that cannot be is refused with a sentence (%o)", (name, file, sentence) => {
      const path = file();
      const refusal = `${name}_FILE ${sentence.replace("PATH", path)}`;
      const expected = expect.objectContaining({ message: refusal });
      expect(() => loadConfig({ DATA_DIR, [`${name}_FILE`]: path })).toThrow(expected);
    });

    it("is read by the processes of the variable alone", () => {
      const env = { DATA_DIR, PRICING_PHASE: "free", DEPLOYER_PRIVATE_KEY_FILE: "/nonexistent/key" };
      for (const process of PROCESSES.filter((each) => each !== "workers"))
        expect(loadConfig(env, { of: process }).sender.privateKey).toBeUndefined();
      expect(() => loadConfig(env, { of: "workers" })).toThrow(/^DEPLOYER_PRIVATE_KEY_FILE names/);
    });

    it("that cannot be used counts as unset where everything else is to be examined", () => {
      const env = {
        DATA_DIR,
        PORT: "70000",
        GITHUB_TOKEN_FILE: "/nonexistent/token",
        IDP_ISSUER_FILE: inFile("idp"),
      };
      const { config, problems } = forgivingConfig(env);
      expect(problems.map((problem) => problem.split(" ")[0])).toEqual(["PORT", "GITHUB_TOKEN_FILE", "IDP_ISSUER,"]);
      expect(config).toEqual(loadConfig({ DATA_DIR: env.DATA_DIR }));
      expect(variableValues({ ...env, IDP_NAME_FILE: inFile("Ours") })).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: "IDP_NAME", state: "set", value: "Ours" })]),
      );
    });
  });

  it("follows the running local stack unless a database is named or the stack itself is being started", () => {
    writeFileSync(join(DATA_DIR, STACK_FILE), 'DATABASE_URL="postgres://local/agents"\nPORT="4100"\n');
    expect(loadConfig({ DATA_DIR }).database.url).toBe("postgres://local/agents");
    expect(loadConfig({ DATA_DIR, PORT: "4200" }).http.port).toBe(4200);
    expect(loadConfig({ DATA_DIR, DATABASE_URL: "postgres://other/agents" }).http.port).toBe(4000);
    expect(loadConfig({ DATA_DIR }, { followStack: false }).database.url).toBeUndefined();
  });
});
