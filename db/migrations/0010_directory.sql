-- In the schema itself, so that no search path decides whether the operators of the index below are found.
CREATE EXTENSION IF NOT EXISTS "pg_trgm" WITH SCHEMA "offchain";--> statement-breakpoint
CREATE TABLE "offchain"."directory" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"platform" text NOT NULL,
	"agent_id" text NOT NULL,
	"address" text,
	"token_id" bigint,
	"chain_id" integer,
	"name" text NOT NULL,
	"sort_name" text GENERATED ALWAYS AS (lower(name collate "und-x-icu")) STORED,
	"search_name" text GENERATED ALWAYS AS (case when octet_length(name) = char_length(name) then lower(name) else
  replace(replace(replace(translate(
    lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g') collate "und-x-icu"),
    'øłđħŧıς', 'oldhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') end) STORED,
	"description" text,
	"image_url" text,
	"registry" text,
	"owner_address" text,
	"services" jsonb,
	"x402_supported" boolean DEFAULT false NOT NULL,
	"wallet_proven" boolean DEFAULT false NOT NULL,
	"trait_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone,
	"cred_score" smallint NOT NULL,
	"ethos_score" integer,
	"token_address" text,
	"token_symbol" text,
	"token_name" text,
	"market_cap_usd" double precision,
	"price_change_24h" double precision,
	"volume_24h_usd" double precision,
	"liquidity_usd" double precision,
	"market_data_source" text,
	"uses" integer DEFAULT 0 NOT NULL,
	"used_at" timestamp with time zone,
	"traded_at" timestamp with time zone,
	"active_at" timestamp with time zone GENERATED ALWAYS AS (greatest(used_at, traded_at)) STORED,
	"trend" integer GENERATED ALWAYS AS (round(1000 * (log(1 + greatest(0, coalesce(volume_24h_usd, 0))) + log(1 + greatest(0, uses)::float8)))::int4) STORED,
	"removed_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."directory_claim" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"token_address" text,
	"token_symbol" text,
	"token_name" text,
	"market_cap_usd" double precision,
	"claimed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."directory_item" (
	"source" text NOT NULL,
	"source_id" text NOT NULL,
	"platform" text NOT NULL,
	"agent_id" text NOT NULL,
	"raw" jsonb NOT NULL,
	"warnings" text[] DEFAULT '{}' NOT NULL,
	"digest" text NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL,
	"sweep" bigint NOT NULL,
	CONSTRAINT "directory_item_source_source_id_pk" PRIMARY KEY("source","source_id")
);
--> statement-breakpoint
CREATE TABLE "offchain"."directory_pull" (
	"source" text PRIMARY KEY NOT NULL,
	"mode" text,
	"sweep" bigint DEFAULT 0 NOT NULL,
	"cursor" jsonb,
	"watermark" jsonb,
	"done" integer DEFAULT 0 NOT NULL,
	"expected" integer,
	"changed" integer DEFAULT 0 NOT NULL,
	"quarantined" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone,
	"last_success_at" timestamp with time zone,
	"last_full_at" timestamp with time zone,
	"next_run_at" timestamp with time zone,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "offchain"."directory_quarantine" (
	"source" text NOT NULL,
	"source_id" text NOT NULL,
	"reason" text NOT NULL,
	"raw" jsonb NOT NULL,
	"seen" integer DEFAULT 1 NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "directory_quarantine_source_source_id_pk" PRIMARY KEY("source","source_id")
);
--> statement-breakpoint
CREATE TABLE "offchain"."registration_file" (
	"registry" text NOT NULL,
	"agent_id" numeric(78, 0) NOT NULL,
	"uri" text NOT NULL,
	"status" text NOT NULL,
	"content" jsonb,
	"errors" text[] DEFAULT '{}' NOT NULL,
	"warnings" text[] DEFAULT '{}' NOT NULL,
	"etag" text,
	"fetched_at" timestamp with time zone NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp with time zone,
	CONSTRAINT "registration_file_registry_agent_id_pk" PRIMARY KEY("registry","agent_id")
);
--> statement-breakpoint
CREATE TABLE "offchain"."token_market" (
	"token_address" text PRIMARY KEY NOT NULL,
	"known" boolean NOT NULL,
	"symbol" text,
	"name" text,
	"market_cap_usd" double precision,
	"basis" text,
	"price_change_24h" double precision,
	"volume_24h_usd" double precision,
	"liquidity_usd" double precision,
	"source" text NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."directory_claim" ADD CONSTRAINT "directory_claim_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "directory_agent" ON "offchain"."directory" USING btree ("platform","agent_id");--> statement-breakpoint
CREATE INDEX "directory_changed" ON "offchain"."directory" USING btree ("changed_xid");--> statement-breakpoint
CREATE INDEX "directory_agent_id" ON "offchain"."directory" USING btree (lower(agent_id)) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_token_id" ON "offchain"."directory" USING btree ("token_id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_address" ON "offchain"."directory" USING btree (address collate "C") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_symbol" ON "offchain"."directory" USING btree (lower(token_symbol)) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_token" ON "offchain"."directory" USING btree ("token_address") WHERE token_address is not null;--> statement-breakpoint
CREATE INDEX "directory_owner" ON "offchain"."directory" USING btree ("owner_address") WHERE owner_address is not null;--> statement-breakpoint
CREATE INDEX "directory_active" ON "offchain"."directory" USING btree ("active_at") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_by_score" ON "offchain"."directory" USING btree (cred_score,"id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_by_score_down" ON "offchain"."directory" USING btree (cred_score desc nulls last,"id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_by_name" ON "offchain"."directory" USING btree (sort_name collate "C","id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_by_name_down" ON "offchain"."directory" USING btree (sort_name collate "C" desc nulls last,"id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_by_created" ON "offchain"."directory" USING btree (created_at,"id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_by_created_down" ON "offchain"."directory" USING btree (created_at desc nulls last,"id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_by_platform" ON "offchain"."directory" USING btree (platform collate "C","id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_by_platform_down" ON "offchain"."directory" USING btree (platform collate "C" desc nulls last,"id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_by_cap" ON "offchain"."directory" USING btree (market_cap_usd,"id") WHERE removed_at is null and market_cap_usd is not null;--> statement-breakpoint
CREATE INDEX "directory_by_volume" ON "offchain"."directory" USING btree (volume_24h_usd,"id") WHERE removed_at is null and volume_24h_usd is not null;--> statement-breakpoint
CREATE INDEX "directory_by_trend_down" ON "offchain"."directory" USING btree (trend desc nulls last,"id") WHERE removed_at is null and active_at is not null;--> statement-breakpoint
CREATE INDEX "directory_x402" ON "offchain"."directory" USING btree ("id") WHERE removed_at is null and x402_supported;--> statement-breakpoint
CREATE INDEX "directory_item_agent" ON "offchain"."directory_item" USING btree ("platform","agent_id");--> statement-breakpoint
CREATE INDEX "directory_item_sweep" ON "offchain"."directory_item" USING btree ("source","sweep");--> statement-breakpoint
CREATE INDEX "registration_file_due" ON "offchain"."registration_file" USING btree ("next_try_at");--> statement-breakpoint
CREATE INDEX "directory_search" ON "offchain"."directory" USING gin ("search_name" "offchain"."gin_trgm_ops") WHERE removed_at is null;--> statement-breakpoint
-- Who changes a row need not know that somebody follows the changes; nobody writes a row that stays as it is.
CREATE FUNCTION "offchain"."directory_mark_change"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  new.changed_xid := pg_current_xact_id();
  new.updated_at := clock_timestamp();
  return new;
end $$;
--> statement-breakpoint
CREATE TRIGGER "directory_mark_change" BEFORE UPDATE ON "offchain"."directory"
  FOR EACH ROW EXECUTE FUNCTION "offchain"."directory_mark_change"();--> statement-breakpoint
-- The directory shows the score that every other view shows, from the same moment on, whoever wrote it. Rows are locked
-- in the order of their ids, as every writer of many rows of the directory does.
CREATE FUNCTION "offchain"."directory_follow_cred"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  perform from "offchain"."directory" d join scored n on d.agent_id = n.token_id::text
    where d.platform = 'helixa' and d.cred_score <> n.score order by d.id for no key update of d;
  if found then
    update "offchain"."directory" d set cred_score = n.score from scored n
      where d.platform = 'helixa' and d.agent_id = n.token_id::text and d.cred_score <> n.score;
  end if;
  return null;
end $$;
--> statement-breakpoint
CREATE TRIGGER "directory_follow_new_cred" AFTER INSERT ON "offchain"."cred" REFERENCING NEW TABLE AS scored
  FOR EACH STATEMENT EXECUTE FUNCTION "offchain"."directory_follow_cred"();--> statement-breakpoint
CREATE TRIGGER "directory_follow_cred" AFTER UPDATE ON "offchain"."cred" REFERENCING NEW TABLE AS scored
  FOR EACH STATEMENT EXECUTE FUNCTION "offchain"."directory_follow_cred"();
