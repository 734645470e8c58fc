-- Stands for all migrations up to 0036_reviewer_history_tries.sql: e200738e04ddfc513601118eda7bc35a0b6dbcb24e98f33fde270484d540d8dc
CREATE SCHEMA "offchain";--> statement-breakpoint
CREATE SEQUENCE "offchain"."dispatch_batch" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "offchain"."allowance" (
	"name" text PRIMARY KEY NOT NULL,
	"level" double precision NOT NULL,
	"most" double precision NOT NULL,
	"per_second" double precision NOT NULL,
	"at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."api_key" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"scope" text DEFAULT 'sessions' NOT NULL,
	"reads_per_minute" integer,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."attestation_lookup" (
	"wallet" text PRIMARY KEY NOT NULL,
	"attestation_uid" text,
	"schema_uid" text,
	"attester" text,
	"expires_at" bigint,
	"configuration" text,
	"checked_at" timestamp with time zone,
	"failed_at" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."chain_write" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"token_id" bigint NOT NULL,
	"slot" text NOT NULL,
	"intent_key" text NOT NULL,
	"wallet" text NOT NULL,
	"accepted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "chain_write_intentKey_unique" UNIQUE("intent_key")
);--> statement-breakpoint
CREATE TABLE "offchain"."cred" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"score" smallint NOT NULL,
	"activity" smallint NOT NULL,
	"traits" smallint NOT NULL,
	"verify" smallint NOT NULL,
	"coinbase" smallint NOT NULL,
	"age" smallint NOT NULL,
	"narrative" smallint NOT NULL,
	"origin" smallint NOT NULL,
	"soulbound" smallint NOT NULL,
	"seen_block" bigint NOT NULL,
	"computed_at" timestamp with time zone NOT NULL,
	"changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"coinbase_input" bigint,
	"age_input" bigint
);--> statement-breakpoint
CREATE TABLE "offchain"."cred_correction" (
	"id" bigint PRIMARY KEY NOT NULL,
	"token_id" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."cred_epoch" (
	"epoch" bigint PRIMARY KEY NOT NULL,
	"chain_id" bigint NOT NULL,
	"registry" text NOT NULL,
	"contract" text NOT NULL,
	"root" text NOT NULL,
	"leaves" integer NOT NULL,
	"block" bigint NOT NULL,
	"computed_at" timestamp with time zone NOT NULL,
	"built_at" timestamp with time zone NOT NULL,
	"build_ms" integer NOT NULL,
	"checked_at" timestamp with time zone,
	"intent_key" text NOT NULL,
	"state" text NOT NULL,
	"tx_hash" text,
	"tx_block" bigint,
	"published_at" timestamp with time zone,
	"error" text,
	"kept" boolean NOT NULL,
	CONSTRAINT "cred_epoch_intentKey_unique" UNIQUE("intent_key")
);--> statement-breakpoint
CREATE TABLE "offchain"."cred_epoch_part" (
	"epoch" bigint NOT NULL,
	"kind" text NOT NULL,
	"place" bigint NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "cred_epoch_part_epoch_kind_place_pk" PRIMARY KEY("epoch","kind","place")
);--> statement-breakpoint
CREATE TABLE "offchain"."cred_history" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"token_id" bigint NOT NULL,
	"score" smallint NOT NULL,
	"cause" text NOT NULL,
	"block" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."cred_history_period" (
	"number" bigint PRIMARY KEY NOT NULL,
	"began_at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."cred_oracle" (
	"oracle" text PRIMARY KEY NOT NULL,
	"compared_at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."cred_oracle_value" (
	"oracle" text NOT NULL,
	"token_id" bigint NOT NULL,
	"score" smallint,
	"updated_at" bigint,
	"read_at" timestamp with time zone NOT NULL,
	CONSTRAINT "cred_oracle_value_oracle_token_id_pk" PRIMARY KEY("oracle","token_id")
);--> statement-breakpoint
CREATE TABLE "offchain"."cred_walk" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"walked" bigint DEFAULT 0 NOT NULL,
	"missed" bigint DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."credential_revocation" (
	"wallet" text PRIMARY KEY NOT NULL,
	"revoked_before" timestamp with time zone NOT NULL
);--> statement-breakpoint
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
	"wallet_confirmed" boolean,
	"trait_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone,
	"cred_score" smallint NOT NULL,
	"token_address" text,
	"token_symbol" text,
	"token_name" text,
	"market_cap_usd" double precision,
	"price_change_24h" double precision,
	"volume_24h_usd" double precision,
	"liquidity_usd" double precision,
	"uses" integer DEFAULT 0 NOT NULL,
	"used_at" timestamp with time zone,
	"traded_at" timestamp with time zone,
	"active_at" timestamp with time zone GENERATED ALWAYS AS (greatest(used_at, traded_at)) STORED,
	"trend" integer GENERATED ALWAYS AS (round(1000 * (log(1 + greatest(0, coalesce(volume_24h_usd, 0))) + log(1 + greatest(0, uses)::float8)))::int4) STORED,
	"removed_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"protocols" text[] DEFAULT '{}' NOT NULL,
	"proofs" text[] DEFAULT '{}' NOT NULL,
	"coinbase" boolean DEFAULT false NOT NULL,
	"volume_7d_usd" double precision,
	"volume_30d_usd" double precision,
	"token_counts" boolean DEFAULT false NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_alias" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_claim" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"token_address" text,
	"token_symbol" text,
	"token_name" text,
	"market_cap_usd" double precision,
	"claimed_at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_image" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"layout" text NOT NULL,
	"seen_xmax" "xid8" NOT NULL,
	"seen_in_progress" "xid8"[] NOT NULL,
	"segments" integer NOT NULL,
	"segment_bits" integer NOT NULL,
	"used" integer NOT NULL,
	"built" integer NOT NULL,
	"renamed" integer NOT NULL,
	"max_id" bigint NOT NULL,
	"name_marks" text[] NOT NULL,
	"folded_at" bigint NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_page" (
	"source" text NOT NULL,
	"cursor" text NOT NULL,
	"etag" text,
	"last_modified" text,
	"next" jsonb,
	"expected" integer,
	"source_ids" text[] NOT NULL,
	"sweep" bigint NOT NULL,
	"read_at" timestamp with time zone NOT NULL,
	CONSTRAINT "directory_page_source_cursor_pk" PRIMARY KEY("source","cursor")
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_plane" (
	"plane" text NOT NULL,
	"segment" integer NOT NULL,
	"bits" bit varying NOT NULL,
	CONSTRAINT "directory_plane_plane_segment_pk" PRIMARY KEY("plane","segment")
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_pull" (
	"source" text PRIMARY KEY NOT NULL,
	"mode" text,
	"sweep" bigint DEFAULT 0 NOT NULL,
	"whole_sweep" bigint DEFAULT 0 NOT NULL,
	"partial" text,
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
	"error" text,
	"note" text,
	"failures" integer DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_quarantine" (
	"source" text NOT NULL,
	"source_id" text NOT NULL,
	"reason" text NOT NULL,
	"raw" jsonb NOT NULL,
	"seen" integer DEFAULT 1 NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "directory_quarantine_source_source_id_pk" PRIMARY KEY("source","source_id")
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_rank" (
	"id" bigint NOT NULL,
	"day" date NOT NULL,
	"rank" integer NOT NULL,
	CONSTRAINT "directory_rank_id_day_pk" PRIMARY KEY("id","day")
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_score" (
	"id" bigint PRIMARY KEY NOT NULL,
	"cred_score" smallint,
	"changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"row_xid" "xid8" DEFAULT '0' NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."directory_slot" (
	"id" bigint PRIMARY KEY NOT NULL,
	"slot" integer,
	"loose" boolean NOT NULL,
	"search_name" text NOT NULL,
	"code" "bytea" NOT NULL,
	"rare" text[] NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."discovery_document" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"words" "tsvector" NOT NULL,
	"trust" smallint NOT NULL,
	"factors" smallint[] NOT NULL,
	"platform" text NOT NULL,
	"chain_id" integer,
	"cred" smallint NOT NULL,
	"verified" boolean NOT NULL,
	"speaks" smallint NOT NULL,
	"price_usd" double precision,
	"owner" text,
	"name_key" bigint,
	"text_key" bigint,
	"simhash" bigint,
	"copy" boolean NOT NULL,
	"registered_at" timestamp with time zone,
	"written_at" timestamp with time zone NOT NULL,
	"trust_range" smallint GENERATED ALWAYS AS (width_bucket(trust::int4, array[120, 170, 220, 280, 350, 430, 520])) STORED NOT NULL,
	"disguised" boolean DEFAULT false NOT NULL,
	"imitation" boolean DEFAULT false NOT NULL,
	"text_since" timestamp with time zone,
	"sibling_key" bigint,
	"name_since" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."discovery_meaning" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"digest" "bytea" NOT NULL,
	"model" text NOT NULL,
	"read_at" timestamp with time zone NOT NULL,
	"signs" "varbit"
);--> statement-breakpoint
CREATE TABLE "offchain"."discovery_progress" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"seen_xmax" text NOT NULL,
	"seen_in_progress" text[] NOT NULL,
	"filled_to" bigint,
	"refreshed_to" bigint DEFAULT 0 NOT NULL,
	"counted_at" timestamp with time zone,
	"refreshed_at" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."discovery_vector" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"model" text NOT NULL,
	"asked_at" timestamp with time zone NOT NULL,
	"asks" smallint NOT NULL,
	"answered_at" timestamp with time zone,
	"vector" "bytea"
);--> statement-breakpoint
CREATE TABLE "offchain"."discovery_word" (
	"word" text PRIMARY KEY NOT NULL,
	"written" boolean NOT NULL,
	"documents" integer NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."dispatch" (
	"key" text PRIMARY KEY NOT NULL,
	"event_id" text NOT NULL,
	"kind" text NOT NULL,
	"token_id" bigint,
	"wallet" text,
	"agent_id" numeric(78, 0),
	"block" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"tx_hash" text NOT NULL,
	"block_at" bigint NOT NULL,
	"state" text NOT NULL,
	"batch" bigint NOT NULL,
	"missing_checkpoint" text,
	"dispatched_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"retracted_at" timestamp with time zone,
	"returns" integer DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."dispatcher_state" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"schema" text NOT NULL,
	"settled_block" bigint DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."ethos_score" (
	"wallet" text PRIMARY KEY NOT NULL,
	"score" integer,
	"fetched_at" timestamp with time zone,
	"failed_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."event" (
	"id" text NOT NULL,
	"append_id" bigserial NOT NULL,
	"position" bigint,
	"final_position" bigint,
	"type" text NOT NULL,
	"token_id" bigint,
	"agent_address" text,
	"owner" text,
	"former_owner" text,
	"data" jsonb NOT NULL,
	"block" bigint,
	"tx_hash" text,
	"at" timestamp with time zone NOT NULL,
	"final" boolean NOT NULL,
	"retracted" boolean DEFAULT false NOT NULL,
	"retracts" text,
	"source" text,
	CONSTRAINT "event_id_at_pk" PRIMARY KEY("id","at")
);--> statement-breakpoint
CREATE TABLE "offchain"."event_log" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"head" bigint DEFAULT 0 NOT NULL,
	"kept_after" bigint DEFAULT 0 NOT NULL,
	"cred_after" bigint DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."exchange_verification" (
	"token_id" bigint NOT NULL,
	"attestation_uid" text NOT NULL,
	"attester" text NOT NULL,
	"schema_uid" text NOT NULL,
	"recipient" text NOT NULL,
	"expires_at" bigint NOT NULL,
	"indexed_from" bigint,
	"verified_at" timestamp with time zone NOT NULL,
	"tx_hash" text,
	CONSTRAINT "exchange_verification_token_id_recipient_pk" PRIMARY KEY("token_id","recipient")
);--> statement-breakpoint
CREATE TABLE "offchain"."group_member" (
	"group_id" text NOT NULL,
	"wallet" text NOT NULL,
	"member_number" bigint NOT NULL,
	"joined_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "group_member_group_id_wallet_pk" PRIMARY KEY("group_id","wallet")
);--> statement-breakpoint
CREATE TABLE "offchain"."host_file" (
	"origin" text PRIMARY KEY NOT NULL,
	"names" uuid[] DEFAULT '{}' NOT NULL,
	"trust" smallint NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"checked_at" timestamp with time zone,
	"next_try_at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."human" (
	"id" text PRIMARY KEY NOT NULL,
	"principal" text NOT NULL,
	"wallet" text,
	"name" text NOT NULL,
	"search_name" text GENERATED ALWAYS AS (case when octet_length(name) = char_length(name) then lower(name) else
  replace(replace(replace(translate(
    lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g') collate "und-x-icu"),
    'øłđħŧıς', 'oldhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') end) STORED,
	"description" text NOT NULL,
	"image" text,
	"organization" text NOT NULL,
	"skills" text[] NOT NULL,
	"domains" text[] NOT NULL,
	"linked_accounts" jsonb NOT NULL,
	"services" jsonb NOT NULL,
	"external_ids" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"contact" jsonb NOT NULL,
	"notification_preferences" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"token_id" bigint,
	"token_transfers" bigint,
	"transaction_count" bigint,
	"transaction_count_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "human_principal_unique" UNIQUE("principal")
);--> statement-breakpoint
CREATE TABLE "offchain"."human_agent" (
	"human_id" text NOT NULL,
	"token_id" bigint NOT NULL,
	"owner" text NOT NULL,
	"transfers" bigint NOT NULL,
	"linked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "human_agent_human_id_token_id_pk" PRIMARY KEY("human_id","token_id")
);--> statement-breakpoint
CREATE TABLE "offchain"."human_update" (
	"text" text PRIMARY KEY NOT NULL,
	"token_id" bigint NOT NULL,
	"fingerprint" text NOT NULL,
	"used_at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."idempotency" (
	"scope" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"state" text NOT NULL,
	"status" integer,
	"headers" jsonb,
	"body" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_scope_key_pk" PRIMARY KEY("scope","key")
);--> statement-breakpoint
CREATE TABLE "offchain"."job_move" (
	"name" text PRIMARY KEY NOT NULL,
	"moved_at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."job_run" (
	"name" text PRIMARY KEY NOT NULL,
	"last_started_at" timestamp with time zone NOT NULL,
	"last_success_at" timestamp with time zone,
	"next_run_at" timestamp with time zone NOT NULL,
	"rows" integer,
	"error" text
);--> statement-breakpoint
CREATE TABLE "offchain"."message" (
	"group_id" text NOT NULL,
	"message_id" bigint NOT NULL,
	"sender" text NOT NULL,
	"sender_name" text NOT NULL,
	"sender_token_id" bigint NOT NULL,
	"sender_cred" smallint NOT NULL,
	"content" text NOT NULL,
	"sent_at" timestamp with time zone NOT NULL,
	"request" text,
	CONSTRAINT "message_group_id_message_id_pk" PRIMARY KEY("group_id","message_id")
);--> statement-breakpoint
CREATE TABLE "offchain"."message_group" (
	"group_id" text PRIMARY KEY NOT NULL,
	"ordinal" bigserial NOT NULL,
	"topic" text NOT NULL,
	"description" text,
	"min_cred" smallint NOT NULL,
	"is_public" boolean NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL,
	"created_by" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_message_id" bigint DEFAULT 0 NOT NULL,
	"last_message_at" timestamp with time zone,
	"member_count" integer DEFAULT 0 NOT NULL,
	"last_member_number" bigint DEFAULT 0 NOT NULL,
	"request" text,
	CONSTRAINT "message_group_ordinal_unique" UNIQUE("ordinal")
);--> statement-breakpoint
CREATE TABLE "offchain"."mint" (
	"mint_id" uuid PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"solana_address" text,
	"registrant" text GENERATED ALWAYS AS (coalesce(solana_address, wallet)) STORED,
	"recipient" text NOT NULL,
	"name" text NOT NULL,
	"framework" text NOT NULL,
	"soulbound" boolean NOT NULL,
	"origin" smallint NOT NULL,
	"personality" jsonb,
	"narrative" jsonb,
	"listing" jsonb,
	"referral_code" text,
	"fingerprint" text NOT NULL,
	"state" text NOT NULL,
	"token_id" bigint,
	"tx_hash" text,
	"block" bigint,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp with time zone,
	"awards_due_at" timestamp with time zone,
	"client_network" text,
	CONSTRAINT "mint_fingerprint_unique" UNIQUE("fingerprint")
);--> statement-breakpoint
CREATE TABLE "offchain"."offer" (
	"directory_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"source" text NOT NULL,
	"position" smallint NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"endpoint" text,
	"price_usd" numeric,
	"price" jsonb,
	"input_schema" jsonb,
	"method" text,
	CONSTRAINT "offer_directory_id_kind_source_position_pk" PRIMARY KEY("directory_id","kind","source","position")
);--> statement-breakpoint
CREATE TABLE "offchain"."offer_progress" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"round_to" bigint DEFAULT 0 NOT NULL,
	"new_to" bigint DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."offer_source" (
	"directory_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"host" text NOT NULL,
	"trust" smallint NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"etag" text,
	"last_modified" text,
	"digest" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"answered_at" timestamp with time zone,
	"silent_since" timestamp with time zone,
	"checked_at" timestamp with time zone,
	"next_try_at" timestamp with time zone NOT NULL,
	"why" text,
	"confirmed_by" text,
	"is_signed" boolean DEFAULT false NOT NULL,
	CONSTRAINT "offer_source_directory_id_kind_url_pk" PRIMARY KEY("directory_id","kind","url")
);--> statement-breakpoint
CREATE TABLE "offchain"."organization" (
	"id" text PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"slug_key" text NOT NULL,
	"principal" text NOT NULL,
	"wallet" text,
	"display_name" text NOT NULL,
	"search_name" text GENERATED ALWAYS AS (case when octet_length(display_name) = char_length(display_name) then lower(display_name) else
  replace(replace(replace(translate(
    lower(regexp_replace(normalize(display_name, NFKD), '[\u0300-\u036f]', '', 'g') collate "und-x-icu"),
    'øłđħŧıς', 'oldhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') end) STORED,
	"description" text NOT NULL,
	"image" text,
	"organization_type" text NOT NULL,
	"roles" text[] NOT NULL,
	"skills" text[] NOT NULL,
	"domains" text[] NOT NULL,
	"links" jsonb NOT NULL,
	"services" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"external_ids" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"contact" jsonb NOT NULL,
	"notification_preferences" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"members" jsonb NOT NULL,
	"token_id" bigint,
	"token_transfers" bigint,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "organization_slug_unique" UNIQUE("slug"),
	CONSTRAINT "organization_slugKey_unique" UNIQUE("slug_key")
);--> statement-breakpoint
CREATE TABLE "offchain"."payment" (
	"payment_id" uuid PRIMARY KEY NOT NULL,
	"method" text NOT NULL,
	"operation" text NOT NULL,
	"state" text DEFAULT 'new' NOT NULL,
	"payer" text NOT NULL,
	"payee" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"asset" text NOT NULL,
	"amount_units" numeric(78, 0) NOT NULL,
	"wallet" text,
	"fingerprint" text NOT NULL,
	"unique_key" text,
	"effect" jsonb,
	"bought" text,
	"credential" jsonb,
	"digest" text,
	"valid_before" timestamp with time zone,
	"since_block" bigint NOT NULL,
	"presented_at" timestamp with time zone,
	"client" text,
	"tx_hash" text,
	"log_index" integer,
	"nth" integer,
	"block" bigint,
	"block_hash" text,
	"reason" text,
	"answer_status" integer,
	"answer_headers" jsonb,
	"answer_body" text,
	"lease" uuid,
	"lease_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"paid_at" timestamp with time zone,
	"final_at" timestamp with time zone,
	"swept_at" timestamp with time zone,
	"early_at" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."payment_fact" (
	"fact" text PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."price_list" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"phase" text NOT NULL,
	"prices" jsonb NOT NULL,
	"since" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."profile_field" (
	"token_id" bigint NOT NULL,
	"field" text NOT NULL,
	"value" jsonb NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "profile_field_token_id_field_pk" PRIMARY KEY("token_id","field")
);--> statement-breakpoint
CREATE TABLE "offchain"."profile_trait" (
	"token_id" bigint NOT NULL,
	"name" text NOT NULL,
	"category" text NOT NULL,
	"added_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "profile_trait_token_id_name_pk" PRIMARY KEY("token_id","name")
);--> statement-breakpoint
CREATE TABLE "offchain"."proof" (
	"token_id" bigint NOT NULL,
	"platform" text NOT NULL,
	"account_id" text NOT NULL,
	"handle" text NOT NULL,
	"username" text,
	"evidence" jsonb NOT NULL,
	"status" text NOT NULL,
	"verified_at" timestamp with time zone NOT NULL,
	"checked_at" timestamp with time zone NOT NULL,
	"failed_at" timestamp with time zone,
	"tx_hash" text,
	CONSTRAINT "proof_token_id_platform_pk" PRIMARY KEY("token_id","platform")
);--> statement-breakpoint
CREATE TABLE "offchain"."proof_ownership" (
	"token_id" bigint NOT NULL,
	"proof" text NOT NULL,
	"subject" text NOT NULL,
	"owner" text NOT NULL,
	"token_transfers" bigint NOT NULL,
	"proved_at" timestamp with time zone NOT NULL,
	CONSTRAINT "proof_ownership_pk" PRIMARY KEY("token_id","proof","subject","owner","token_transfers")
);--> statement-breakpoint
CREATE TABLE "offchain"."referral" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"referrer_token_id" bigint NOT NULL,
	"code" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."referral_code" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "referral_code_code_unique" UNIQUE("code")
);--> statement-breakpoint
CREATE TABLE "offchain"."registration_file" (
	"registry" text NOT NULL,
	"agent_id" numeric(78, 0) NOT NULL,
	"uri" text NOT NULL,
	"status" text NOT NULL,
	"content" jsonb,
	"errors" text[] DEFAULT '{}' NOT NULL,
	"warnings" text[] DEFAULT '{}' NOT NULL,
	"etag" text,
	"last_modified" text,
	"fetched_at" timestamp with time zone NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp with time zone,
	CONSTRAINT "registration_file_registry_agent_id_pk" PRIMARY KEY("registry","agent_id")
);--> statement-breakpoint
CREATE TABLE "offchain"."retired_slug" (
	"slug_key" text PRIMARY KEY NOT NULL,
	"owner_hash" text NOT NULL,
	"retired_at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."review_figures" (
	"registry" text NOT NULL,
	"agent_id" numeric NOT NULL,
	"seen" text,
	"rules" smallint,
	"reviewers" integer NOT NULL,
	"raw" double precision,
	"adjusted" double precision,
	"low" double precision,
	"high" double precision,
	"inflation" double precision,
	"voices" integer,
	"crowd" double precision,
	"clusters" jsonb,
	"computed_at" timestamp with time zone,
	CONSTRAINT "review_figures_registry_agent_id_pk" PRIMARY KEY("registry","agent_id")
);--> statement-breakpoint
CREATE TABLE "offchain"."review_weight" (
	"registry" text NOT NULL,
	"agent_id" numeric NOT NULL,
	"client" text NOT NULL,
	"rank" smallint NOT NULL,
	"nothing" text,
	"standing" text NOT NULL,
	"share" double precision NOT NULL,
	"cluster" text,
	"entries" integer NOT NULL,
	CONSTRAINT "review_weight_registry_agent_id_client_pk" PRIMARY KEY("registry","agent_id","client")
);--> statement-breakpoint
CREATE TABLE "offchain"."reviewer_history" (
	"address" text PRIMARY KEY NOT NULL,
	"first_at" bigint,
	"sent" bigint,
	"previous_at" bigint,
	"funder" text,
	"funder_sent" bigint,
	"next_try_at" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."sender_state" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"address" text NOT NULL,
	"balance_wei" numeric(78, 0) NOT NULL,
	"funded" boolean NOT NULL,
	"checked_at" timestamp with time zone NOT NULL,
	"spent_wei" numeric(78, 0) DEFAULT '0' NOT NULL,
	"budget_wei" numeric(78, 0) DEFAULT '0' NOT NULL,
	"paused_until" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."session_outcome" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"token_id" bigint NOT NULL,
	"api_key_id" text NOT NULL,
	"session_id" text,
	"outcome" text NOT NULL,
	"details" text,
	"duration_seconds" integer,
	"recorded_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."solana_challenge" (
	"nonce" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"purpose" text NOT NULL,
	"evm_address" text,
	"issued_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_by" text,
	"used_at" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."token_link" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"token_address" text NOT NULL,
	"wallet" text NOT NULL,
	"tie" text,
	"due_at" timestamp with time zone DEFAULT now()
);--> statement-breakpoint
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
	"fetched_at" timestamp with time zone,
	"failed_at" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."token_stats" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"holders" integer NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."token_uri" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"check_at" timestamp with time zone NOT NULL,
	"base" text,
	"former_base" text,
	"attempt" integer DEFAULT 0 NOT NULL,
	"filled_at" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."token_volume" (
	"token_address" text NOT NULL,
	"day" date NOT NULL,
	"volume_usd" double precision NOT NULL,
	CONSTRAINT "token_volume_token_address_day_pk" PRIMARY KEY("token_address","day")
);--> statement-breakpoint
CREATE TABLE "offchain"."transaction_attempt" (
	"hash" text PRIMARY KEY NOT NULL,
	"intent_id" bigint NOT NULL,
	"nonce" bigint NOT NULL,
	"raw" text NOT NULL,
	"max_fee_per_gas_wei" numeric(78, 0) NOT NULL,
	"max_priority_fee_per_gas_wei" numeric(78, 0) NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"broadcast_at" timestamp with time zone,
	"broadcast_block" bigint,
	"filler" boolean DEFAULT false NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."transaction_outbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"intent_key" text NOT NULL,
	"to_address" text NOT NULL,
	"data" text NOT NULL,
	"value_wei" numeric(78, 0) DEFAULT '0' NOT NULL,
	"waits" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"sender" text,
	"nonce" bigint,
	"gas_limit" bigint,
	"tx_hash" text,
	"block" bigint,
	"block_hash" text,
	"logs" jsonb,
	"error" text,
	"trace" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"signed_at" timestamp with time zone,
	"mined_at" timestamp with time zone,
	"cost_wei" numeric(78, 0),
	CONSTRAINT "transaction_outbox_intentKey_unique" UNIQUE("intent_key")
);--> statement-breakpoint
CREATE TABLE "offchain"."wallet_verification" (
	"token_id" bigint NOT NULL,
	"wallet" text NOT NULL,
	"mint_tx" text NOT NULL,
	"verified_at" timestamp with time zone NOT NULL,
	CONSTRAINT "wallet_verification_token_id_wallet_pk" PRIMARY KEY("token_id","wallet")
);--> statement-breakpoint
CREATE TABLE "offchain"."wallet_walk" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"newest" bigint DEFAULT 0 NOT NULL,
	"walked" bigint DEFAULT 0 NOT NULL
);--> statement-breakpoint
CREATE TABLE "offchain"."webhook" (
	"webhook_id" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"token_ids" bigint[],
	"addresses" text[],
	"owners" text[],
	"finality" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"network" text,
	"lane" text DEFAULT 'new' NOT NULL,
	"slow_until" timestamp with time zone,
	"from_position" bigint NOT NULL,
	"own_position" bigint,
	"disabled_at" timestamp with time zone,
	"disabled_reason" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"paused_until" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."webhook_cursor" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"position" bigint DEFAULT 0 NOT NULL,
	"through" bigint,
	"handed_to" text,
	"caught_up_to" text
);--> statement-breakpoint
CREATE TABLE "offchain"."webhook_delivery" (
	"delivery_id" bigserial PRIMARY KEY NOT NULL,
	"webhook_id" text NOT NULL,
	"event_id" text NOT NULL,
	"event_type" text NOT NULL,
	"position" bigint,
	"final" boolean NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"log" jsonb DEFAULT '[]' NOT NULL,
	"lease" text,
	"lease_until" timestamp with time zone
);--> statement-breakpoint
CREATE TABLE "offchain"."webhook_secret" (
	"secret_id" text PRIMARY KEY NOT NULL,
	"webhook_id" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"request" text
);--> statement-breakpoint
CREATE TABLE "offchain"."webhook_turn" (
	"owner" text PRIMARY KEY NOT NULL,
	"due_new" timestamp with time zone,
	"due_answering" timestamp with time zone,
	"due_slow" timestamp with time zone,
	"slow_until" timestamp with time zone
);--> statement-breakpoint
ALTER TABLE "offchain"."cred_epoch_part" ADD CONSTRAINT "cred_epoch_part_epoch_cred_epoch_epoch_fk" FOREIGN KEY ("epoch") REFERENCES "offchain"."cred_epoch"("epoch") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."directory_alias" ADD CONSTRAINT "directory_alias_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."directory_claim" ADD CONSTRAINT "directory_claim_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."group_member" ADD CONSTRAINT "group_member_group_id_message_group_group_id_fk" FOREIGN KEY ("group_id") REFERENCES "offchain"."message_group"("group_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."human_agent" ADD CONSTRAINT "human_agent_human_id_human_id_fk" FOREIGN KEY ("human_id") REFERENCES "offchain"."human"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."message" ADD CONSTRAINT "message_group_id_message_group_group_id_fk" FOREIGN KEY ("group_id") REFERENCES "offchain"."message_group"("group_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."offer" ADD CONSTRAINT "offer_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."offer_source" ADD CONSTRAINT "offer_source_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."payment_fact" ADD CONSTRAINT "payment_fact_payment_id_payment_payment_id_fk" FOREIGN KEY ("payment_id") REFERENCES "offchain"."payment"("payment_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."transaction_attempt" ADD CONSTRAINT "transaction_attempt_intent_id_transaction_outbox_id_fk" FOREIGN KEY ("intent_id") REFERENCES "offchain"."transaction_outbox"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_webhook_webhook_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "offchain"."webhook"("webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."webhook_secret" ADD CONSTRAINT "webhook_secret_webhook_id_webhook_webhook_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "offchain"."webhook"("webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attestation_lookup_found" ON "offchain"."attestation_lookup" USING btree ("wallet") WHERE attestation_uid is not null;--> statement-breakpoint
CREATE INDEX "attestation_lookup_checked" ON "offchain"."attestation_lookup" USING btree ("checked_at");--> statement-breakpoint
CREATE INDEX "attestation_lookup_never_checked" ON "offchain"."attestation_lookup" USING btree ("failed_at") WHERE checked_at is null;--> statement-breakpoint
CREATE INDEX "chain_write_slot" ON "offchain"."chain_write" USING btree ("token_id","slot","id");--> statement-breakpoint
CREATE INDEX "chain_write_accepted" ON "offchain"."chain_write" USING btree ("token_id","accepted_at");--> statement-breakpoint
CREATE INDEX "cred_score" ON "offchain"."cred" USING btree ("score","token_id");--> statement-breakpoint
CREATE INDEX "cred_changed" ON "offchain"."cred" USING btree ("changed_xid");--> statement-breakpoint
CREATE INDEX "cred_epoch_block" ON "offchain"."cred_epoch" USING btree ("block");--> statement-breakpoint
CREATE INDEX "cred_epoch_open" ON "offchain"."cred_epoch" USING btree ("epoch") WHERE state = 'built';--> statement-breakpoint
CREATE INDEX "cred_epoch_kept" ON "offchain"."cred_epoch" USING btree ("epoch") WHERE kept;--> statement-breakpoint
CREATE INDEX "cred_history_token" ON "offchain"."cred_history" USING btree ("token_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "directory_agent" ON "offchain"."directory" USING btree ("platform","agent_id");--> statement-breakpoint
CREATE INDEX "directory_agent_id" ON "offchain"."directory" USING btree (lower(agent_id)) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_token_id" ON "offchain"."directory" USING btree ("token_id") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_address" ON "offchain"."directory" USING btree (address collate "C") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_symbol" ON "offchain"."directory" USING btree (lower(token_symbol)) WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "directory_token" ON "offchain"."directory" USING btree ("token_address") WHERE token_address is not null;--> statement-breakpoint
CREATE INDEX "directory_owner" ON "offchain"."directory" USING btree (owner_address collate "C") WHERE owner_address is not null;--> statement-breakpoint
CREATE INDEX "directory_active" ON "offchain"."directory" USING btree ("active_at") WHERE removed_at is null;--> statement-breakpoint
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
CREATE INDEX "directory_alias_wallet" ON "offchain"."directory_alias" USING btree (wallet collate "C");--> statement-breakpoint
CREATE INDEX "directory_item_agent" ON "offchain"."directory_item" USING btree ("platform","agent_id");--> statement-breakpoint
CREATE INDEX "directory_item_sweep" ON "offchain"."directory_item" USING btree ("source","sweep");--> statement-breakpoint
CREATE INDEX "directory_rank_day" ON "offchain"."directory_rank" USING btree ("day");--> statement-breakpoint
CREATE INDEX "directory_score_changed" ON "offchain"."directory_score" USING btree ("changed_xid");--> statement-breakpoint
CREATE INDEX "directory_score_up" ON "offchain"."directory_score" USING btree (cred_score,"id") WHERE cred_score is not null;--> statement-breakpoint
CREATE INDEX "directory_score_down" ON "offchain"."directory_score" USING btree (cred_score desc nulls last,"id") WHERE cred_score is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "directory_slot_slot" ON "offchain"."directory_slot" USING btree ("slot");--> statement-breakpoint
CREATE INDEX "directory_slot_loose" ON "offchain"."directory_slot" USING btree ("id") WHERE loose;--> statement-breakpoint
CREATE INDEX "directory_slot_rare" ON "offchain"."directory_slot" USING gin ("rare") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "discovery_document_words_7" ON "offchain"."discovery_document" USING gin ("words") WITH (gin_pending_list_limit=64) WHERE trust_range = 7;--> statement-breakpoint
CREATE INDEX "discovery_document_words_6" ON "offchain"."discovery_document" USING gin ("words") WITH (gin_pending_list_limit=64) WHERE trust_range = 6;--> statement-breakpoint
CREATE INDEX "discovery_document_words_5" ON "offchain"."discovery_document" USING gin ("words") WITH (gin_pending_list_limit=64) WHERE trust_range = 5;--> statement-breakpoint
CREATE INDEX "discovery_document_words_4" ON "offchain"."discovery_document" USING gin ("words") WITH (gin_pending_list_limit=64) WHERE trust_range = 4;--> statement-breakpoint
CREATE INDEX "discovery_document_words_3" ON "offchain"."discovery_document" USING gin ("words") WITH (gin_pending_list_limit=64) WHERE trust_range = 3;--> statement-breakpoint
CREATE INDEX "discovery_document_words_2" ON "offchain"."discovery_document" USING gin ("words") WITH (gin_pending_list_limit=64) WHERE trust_range = 2;--> statement-breakpoint
CREATE INDEX "discovery_document_words_1" ON "offchain"."discovery_document" USING gin ("words") WITH (gin_pending_list_limit=64) WHERE trust_range = 1;--> statement-breakpoint
CREATE INDEX "discovery_document_words_0" ON "offchain"."discovery_document" USING gin ("words") WITH (gin_pending_list_limit=64) WHERE trust_range = 0;--> statement-breakpoint
CREATE INDEX "discovery_document_cred" ON "offchain"."discovery_document" USING btree ("trust_range","cred");--> statement-breakpoint
CREATE INDEX "discovery_document_price" ON "offchain"."discovery_document" USING btree ("trust_range","price_usd") WHERE price_usd is not null;--> statement-breakpoint
CREATE INDEX "discovery_document_name" ON "offchain"."discovery_document" USING btree ("name_key",coalesce(name_since, registered_at),"registered_at","directory_id") WHERE name_key is not null;--> statement-breakpoint
CREATE INDEX "discovery_document_disguised" ON "offchain"."discovery_document" USING btree ("name_key") WHERE disguised and not imitation;--> statement-breakpoint
CREATE INDEX "discovery_document_text" ON "offchain"."discovery_document" USING btree ("text_key",coalesce(text_since, registered_at),"registered_at","directory_id") WHERE text_key is not null;--> statement-breakpoint
CREATE INDEX "discovery_meaning_digest" ON "offchain"."discovery_meaning" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "discovery_vector_answered" ON "offchain"."discovery_vector" USING btree ("model","digest") WHERE vector is not null;--> statement-breakpoint
CREATE INDEX "discovery_word_prefix" ON "offchain"."discovery_word" USING btree (word collate "C") WHERE written;--> statement-breakpoint
CREATE INDEX "dispatch_open" ON "offchain"."dispatch" USING btree ("state","block") WHERE state in ('pending', 'queued');--> statement-breakpoint
CREATE INDEX "dispatch_pending" ON "offchain"."dispatch" USING btree ("batch") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "dispatch_token" ON "offchain"."dispatch" USING btree ("token_id");--> statement-breakpoint
CREATE INDEX "dispatch_event" ON "offchain"."dispatch" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "ethos_fetched" ON "offchain"."ethos_score" USING btree ("fetched_at");--> statement-breakpoint
CREATE INDEX "ethos_never_fetched" ON "offchain"."ethos_score" USING btree ("failed_at") WHERE fetched_at is null;--> statement-breakpoint
CREATE INDEX "event_position" ON "offchain"."event" USING btree ("position");--> statement-breakpoint
CREATE INDEX "event_final_position" ON "offchain"."event" USING btree ("final_position") WHERE final_position is not null;--> statement-breakpoint
CREATE INDEX "event_unsequenced" ON "offchain"."event" USING btree ("append_id") WHERE position is null;--> statement-breakpoint
CREATE INDEX "event_source" ON "offchain"."event" USING btree ("source") WHERE source is not null and type <> 'cred.changed';--> statement-breakpoint
CREATE INDEX "event_agent" ON "offchain"."event" USING btree ("token_id","position") WHERE not retracted and retracts is null;--> statement-breakpoint
CREATE INDEX "event_open" ON "offchain"."event" USING btree ("block") WHERE not final and not retracted;--> statement-breakpoint
CREATE INDEX "event_newly_final" ON "offchain"."event" USING btree ("position") WHERE final and final_position is null and not retracted and retracts is null;--> statement-breakpoint
CREATE UNIQUE INDEX "group_member_number" ON "offchain"."group_member" USING btree ("group_id","member_number");--> statement-breakpoint
CREATE INDEX "host_file_due" ON "offchain"."host_file" USING btree ("trust","next_try_at");--> statement-breakpoint
CREATE UNIQUE INDEX "human_wallet" ON "offchain"."human" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "human_token" ON "offchain"."human" USING btree ("token_id") WHERE token_id is not null;--> statement-breakpoint
CREATE INDEX "human_created" ON "offchain"."human" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "human_transactions_due" ON "offchain"."human" USING btree ("transaction_count_at") WHERE wallet is not null;--> statement-breakpoint
CREATE INDEX "human_agent_token" ON "offchain"."human_agent" USING btree ("token_id");--> statement-breakpoint
CREATE INDEX "human_update_used" ON "offchain"."human_update" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "idempotency_created" ON "offchain"."idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "message_request" ON "offchain"."message" USING btree ("group_id","sender","request") WHERE request is not null;--> statement-breakpoint
CREATE INDEX "message_group_creator" ON "offchain"."message_group" USING btree ("created_by") WHERE created_by is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "message_group_request" ON "offchain"."message_group" USING btree ("created_by","request") WHERE request is not null;--> statement-breakpoint
CREATE INDEX "mint_client_network" ON "offchain"."mint" USING btree ("client_network","created_at") WHERE client_network is not null;--> statement-breakpoint
CREATE INDEX "mint_awards_due" ON "offchain"."mint" USING btree ("awards_due_at") WHERE awards_due_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "mint_registrant" ON "offchain"."mint" USING btree ("registrant") WHERE state <> 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX "mint_token" ON "offchain"."mint" USING btree ("token_id");--> statement-breakpoint
CREATE INDEX "mint_state" ON "offchain"."mint" USING btree ("state");--> statement-breakpoint
CREATE INDEX "offer_source_due" ON "offchain"."offer_source" USING btree ("trust","next_try_at");--> statement-breakpoint
CREATE INDEX "offer_source_host" ON "offchain"."offer_source" USING btree ("host","checked_at");--> statement-breakpoint
CREATE INDEX "offer_source_confirmed" ON "offchain"."offer_source" USING btree ("host") WHERE confirmed_by is not null;--> statement-breakpoint
CREATE INDEX "offer_source_url" ON "offchain"."offer_source" USING btree (hashtextextended(url, 0));--> statement-breakpoint
CREATE INDEX "organization_principal" ON "offchain"."organization" USING btree ("principal");--> statement-breakpoint
CREATE INDEX "organization_wallet" ON "offchain"."organization" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "organization_created" ON "offchain"."organization" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "payment_unique_key" ON "offchain"."payment" USING btree ("unique_key") WHERE state in ('new', 'settling', 'paid');--> statement-breakpoint
CREATE INDEX "payment_open" ON "offchain"."payment" USING btree ("updated_at") WHERE state in ('new', 'settling', 'paid');--> statement-breakpoint
CREATE INDEX "payment_unfinal" ON "offchain"."payment" USING btree ("block") WHERE block is not null and final_at is null;--> statement-breakpoint
CREATE INDEX "payment_early" ON "offchain"."payment" USING btree ("early_at") WHERE early_at is not null;--> statement-breakpoint
CREATE INDEX "payment_released" ON "offchain"."payment" USING btree ("valid_before") WHERE state = 'released' and credential is not null;--> statement-breakpoint
CREATE INDEX "payment_credit" ON "offchain"."payment" USING btree ("payer") WHERE state = 'refund_due';--> statement-breakpoint
CREATE INDEX "payment_wallet_credit" ON "offchain"."payment" USING btree ("wallet") WHERE state = 'refund_due';--> statement-breakpoint
CREATE INDEX "payment_bought" ON "offchain"."payment" USING btree ("bought");--> statement-breakpoint
CREATE INDEX "payment_fact_payment" ON "offchain"."payment_fact" USING btree ("payment_id");--> statement-breakpoint
CREATE UNIQUE INDEX "proof_account" ON "offchain"."proof" USING btree ("platform","account_id") WHERE status <> 'lapsed';--> statement-breakpoint
CREATE INDEX "proof_due" ON "offchain"."proof" USING btree ("platform","checked_at") WHERE status <> 'lapsed';--> statement-breakpoint
CREATE INDEX "referral_referrer" ON "offchain"."referral" USING btree ("referrer_token_id");--> statement-breakpoint
CREATE INDEX "registration_file_due" ON "offchain"."registration_file" USING btree ("next_try_at");--> statement-breakpoint
CREATE INDEX "retired_slug_retired" ON "offchain"."retired_slug" USING btree ("retired_at");--> statement-breakpoint
CREATE INDEX "review_figures_computed" ON "offchain"."review_figures" USING btree ("computed_at");--> statement-breakpoint
CREATE INDEX "review_weight_shown" ON "offchain"."review_weight" USING btree ("registry","agent_id","rank","client");--> statement-breakpoint
CREATE UNIQUE INDEX "session_outcome_session" ON "offchain"."session_outcome" USING btree ("api_key_id","session_id");--> statement-breakpoint
CREATE INDEX "session_outcome_token" ON "offchain"."session_outcome" USING btree ("token_id","outcome");--> statement-breakpoint
CREATE INDEX "solana_challenge_expires" ON "offchain"."solana_challenge" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "token_link_due" ON "offchain"."token_link" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "token_uri_check" ON "offchain"."token_uri" USING btree ("check_at") WHERE state <> 'queued';--> statement-breakpoint
CREATE INDEX "token_uri_none" ON "offchain"."token_uri" USING btree ("token_id") WHERE state = 'none';--> statement-breakpoint
CREATE INDEX "token_uri_without" ON "offchain"."token_uri" USING btree ("token_id") WHERE state not in ('set', 'own');--> statement-breakpoint
CREATE INDEX "token_uri_base" ON "offchain"."token_uri" USING btree ("base","token_id") WHERE state = 'set';--> statement-breakpoint
CREATE INDEX "token_uri_filled" ON "offchain"."token_uri" USING btree ("filled_at") WHERE filled_at is not null;--> statement-breakpoint
CREATE INDEX "token_volume_day" ON "offchain"."token_volume" USING btree ("day");--> statement-breakpoint
CREATE INDEX "transaction_attempt_intent" ON "offchain"."transaction_attempt" USING btree ("intent_id");--> statement-breakpoint
CREATE INDEX "transaction_outbox_cost" ON "offchain"."transaction_outbox" USING btree ("mined_at") WHERE cost_wei is not null;--> statement-breakpoint
CREATE INDEX "transaction_outbox_open" ON "offchain"."transaction_outbox" USING btree ("state","waits","id") WHERE state in ('queued', 'signed');--> statement-breakpoint
CREATE UNIQUE INDEX "transaction_outbox_nonce" ON "offchain"."transaction_outbox" USING btree ("sender","nonce") WHERE state in ('signed', 'mined', 'reverted');--> statement-breakpoint
CREATE INDEX "transaction_outbox_mined" ON "offchain"."transaction_outbox" USING btree ("block") WHERE state in ('mined', 'reverted');--> statement-breakpoint
CREATE INDEX "wallet_verification_wallet" ON "offchain"."wallet_verification" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "webhook_owner" ON "offchain"."webhook" USING btree ("owner","created_at");--> statement-breakpoint
CREATE INDEX "webhook_network" ON "offchain"."webhook" USING btree ("network");--> statement-breakpoint
CREATE INDEX "webhook_own_position" ON "offchain"."webhook" USING btree ("webhook_id") WHERE own_position is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_delivery_event" ON "offchain"."webhook_delivery" USING btree ("webhook_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_due" ON "offchain"."webhook_delivery" USING btree ("webhook_id","due_at","delivery_id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_delivery_log" ON "offchain"."webhook_delivery" USING btree ("webhook_id","delivery_id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_dead" ON "offchain"."webhook_delivery" USING btree ("webhook_id","settled_at") WHERE state = 'dead';--> statement-breakpoint
CREATE INDEX "webhook_delivery_created" ON "offchain"."webhook_delivery" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_delivery_leased" ON "offchain"."webhook_delivery" USING btree ("webhook_id") WHERE lease is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_secret_newest" ON "offchain"."webhook_secret" USING btree ("webhook_id") WHERE expires_at is null;--> statement-breakpoint
CREATE INDEX "webhook_secret_webhook" ON "offchain"."webhook_secret" USING btree ("webhook_id");--> statement-breakpoint
CREATE INDEX "webhook_secret_request" ON "offchain"."webhook_secret" USING btree ("request") WHERE request is not null;--> statement-breakpoint
CREATE INDEX "webhook_secret_expires" ON "offchain"."webhook_secret" USING btree ("expires_at") WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_turn_new" ON "offchain"."webhook_turn" USING btree ("due_new") WHERE due_new is not null;--> statement-breakpoint
CREATE INDEX "webhook_turn_answering" ON "offchain"."webhook_turn" USING btree ("due_answering") WHERE due_answering is not null;--> statement-breakpoint
CREATE INDEX "webhook_turn_slow" ON "offchain"."webhook_turn" USING btree ("due_slow") WHERE due_slow is not null;
