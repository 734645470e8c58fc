/**
 * Makes Ponder's connections to Postgres as the service's are made (db/sql/server-connection.ts). Ponder itself hands its URL
 * to a parser that refuses several hosts, and to pg, for which `sslmode=require` is `verify-full`.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import type pg from "pg";
import { loadConfig } from "../../config/config.ts";
import { ServerClient } from "../../db/sql/server-connection.ts";
import { PONDER_ROOT } from "./ponder-package.ts";

const { indexerUrl: connectionString } = loadConfig().database;

class IndexerClient extends ServerClient {
  constructor(config: pg.ClientConfig) {
    super({ ...config, ...(connectionString && { connectionString }) });
  }
}

const ponders = createRequire(join(PONDER_ROOT, "package.json"))("pg") as { Client: unknown };
ponders.Client = IndexerClient;
