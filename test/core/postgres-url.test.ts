/** The parts of a Postgres URL, and the sentences that refuse one. */
import { describe, expect, it } from "vitest";
import { readPostgresUrl, shownPostgresUrl } from "../../core/operations/postgres-url.ts";

describe("a Postgres URL", () => {
  it.each([
    ["postgres://db/agents", "postgres://db:5432/agents"],
    ["postgresql://a:b@db:6543/agents?sslmode=require", "postgres://db:6543/agents"],
    ["postgres://a:b@[2001:db8::1]:5433/agents", "postgres://[2001:db8::1]:5433/agents"],
    ["postgres://a:b@one,two:5433/agents", "postgres://one:5432,two:5433/agents"],
    ["postgres://a:b@/agents?host=one,two&port=5433", "postgres://one:5433,two:5433/agents"],
    ["postgres://a:b@/agents?host=/cloudsql/project:region:name", "postgres:///cloudsql/project:region:name/agents"],
    ["postgres://a:b@%2Fvar%2Frun%2Fpostgresql/agents", "postgres:///var/run/postgresql/agents"],
    ["postgres://a:b@db?dbname=agents", "postgres://db:5432/agents"],
    ["postgres:///agents", "postgres://localhost:5432/agents"],
  ])("%s is of %s", (url, shown) => expect(shownPostgresUrl(url)).toBe(shown));

  it.each([
    ["mysql://a:geheim@db/agents", /^must be a postgres:\/\/ or postgresql:\/\/ URL/],
    ["postgres://a:ge/heim@db/agents", /%2F/],
    ["postgres://a:geheim%@db/agents", /has a % in its password .*%25/],
    ["postgres://a:geheim@db:port/agents", /has a port that is no number/],
    ["postgres://a:geheim@db/agents?host=a,b&port=1,2,3", /names 2 hosts and 3 ports/],
    ["postgres://a:geheim@db/agents?sslmode=on", /has an sslmode that is none of disable, allow/],
    ["postgres://a:geheim@db/agents?sslmode=verify-ca", /sslmode=verify-ca without sslrootcert/],
    ["postgres://a:geheim@db/agents?sslmode=require&sslrootcert=system", /write sslmode=verify-full/],
    ["postgres://a:geheim@db/agents?sslnegotiation=direct", /needs sslmode=require/],
    ["postgres://a:geheim@db/agents?sslaccept=strict", /sslmode=verify-full here/],
    ["postgres://a:geheim@db/agents?gssencmode=require", /does not speak GSSAPI/],
    ["postgres://a:geheim@db/agents?channel_binding=maybe", /none of prefer, disable, require/],
    ["postgres://a:geheim@db/agents?target_session_attrs=prefer-standby", /target_session_attrs that is none of any/],
    ["postgres://a:geheim@db/agents?connect_timeout=soon", /connect_timeout that is no whole number/],
    [
      "postgres://a:geheim@db/agents?sslcrl=/etc/crl.pem",
      /has the parameter "sslcrl", which the service does not take/,
    ],
  ])("%s is refused in words that hold no password", (url, words) => {
    let said = "";
    try {
      readPostgresUrl(url);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toMatch(words);
    expect(said).not.toContain("geheim");
  });

  it("means verify-full by sslrootcert=system, and checks the authority where require names one", () => {
    const tls = (query: string) => readPostgresUrl(`postgres://db/agents?${query}`).tls;
    expect(tls("sslrootcert=system")).toMatchObject({ verify: "full", rootCertificates: undefined });
    expect(tls("sslmode=require&sslrootcert=/ca.pem")).toMatchObject({ verify: "ca", rootCertificates: "/ca.pem" });
    expect(tls("sslmode=require")).toMatchObject({ verify: "none" });
    expect(tls("")).toMatchObject({ verify: "none" });
  });
});
