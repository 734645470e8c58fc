CREATE SCHEMA "offchain";
--> statement-breakpoint
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
	"computed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."cred_history" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"token_id" bigint NOT NULL,
	"score" smallint NOT NULL,
	"cause" text NOT NULL,
	"block" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
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
	"retracted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."ethos_score" (
	"wallet" text PRIMARY KEY NOT NULL,
	"score" integer NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."exchange_verification" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"attestation_uid" text NOT NULL,
	"attester" text NOT NULL,
	"schema_uid" text NOT NULL,
	"recipient" text NOT NULL,
	"expires_at" bigint NOT NULL,
	"verified_at" timestamp with time zone NOT NULL,
	"tx_hash" text
);
--> statement-breakpoint
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
);
--> statement-breakpoint
CREATE TABLE "offchain"."mint" (
	"mint_id" uuid PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"recipient" text NOT NULL,
	"name" text NOT NULL,
	"framework" text NOT NULL,
	"soulbound" boolean NOT NULL,
	"origin" smallint NOT NULL,
	"personality" jsonb,
	"narrative" jsonb,
	"referral_code" text,
	"fingerprint" text NOT NULL,
	"state" text NOT NULL,
	"token_id" bigint,
	"tx_hash" text,
	"block" bigint,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp with time zone,
	CONSTRAINT "mint_fingerprint_unique" UNIQUE("fingerprint")
);
--> statement-breakpoint
CREATE TABLE "offchain"."profile_field" (
	"token_id" bigint NOT NULL,
	"field" text NOT NULL,
	"value" jsonb NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "profile_field_token_id_field_pk" PRIMARY KEY("token_id","field")
);
--> statement-breakpoint
CREATE TABLE "offchain"."profile_trait" (
	"token_id" bigint NOT NULL,
	"name" text NOT NULL,
	"category" text NOT NULL,
	"added_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "profile_trait_token_id_name_pk" PRIMARY KEY("token_id","name")
);
--> statement-breakpoint
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
	"tx_hash" text,
	CONSTRAINT "proof_token_id_platform_pk" PRIMARY KEY("token_id","platform")
);
--> statement-breakpoint
CREATE TABLE "offchain"."referral" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"referrer_token_id" bigint NOT NULL,
	"code" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."referral_code" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "referral_code_code_unique" UNIQUE("code")
);
--> statement-breakpoint
CREATE TABLE "offchain"."tx_attempt" (
	"hash" text PRIMARY KEY NOT NULL,
	"intent_id" bigint NOT NULL,
	"nonce" bigint NOT NULL,
	"raw" text NOT NULL,
	"max_fee_per_gas_wei" numeric(78, 0) NOT NULL,
	"max_priority_fee_per_gas_wei" numeric(78, 0) NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"broadcast_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."tx_intent" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"intent_key" text NOT NULL,
	"to_address" text NOT NULL,
	"data" text NOT NULL,
	"value_wei" numeric(78, 0) DEFAULT '0' NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"nonce" bigint,
	"gas_limit" bigint,
	"tx_hash" text,
	"block" bigint,
	"block_hash" text,
	"logs" jsonb,
	"error" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"signed_at" timestamp with time zone,
	"mined_at" timestamp with time zone,
	CONSTRAINT "tx_intent_intentKey_unique" UNIQUE("intent_key")
);
--> statement-breakpoint
ALTER TABLE "offchain"."tx_attempt" ADD CONSTRAINT "tx_attempt_intent_id_tx_intent_id_fk" FOREIGN KEY ("intent_id") REFERENCES "offchain"."tx_intent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "cred_score" ON "offchain"."cred" USING btree ("score","token_id");--> statement-breakpoint
CREATE INDEX "cred_history_token" ON "offchain"."cred_history" USING btree ("token_id","id");--> statement-breakpoint
CREATE INDEX "dispatch_open" ON "offchain"."dispatch" USING btree ("state","block") WHERE state in ('pending', 'queued');--> statement-breakpoint
CREATE INDEX "dispatch_token" ON "offchain"."dispatch" USING btree ("token_id");--> statement-breakpoint
CREATE INDEX "dispatch_event" ON "offchain"."dispatch" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "idempotency_created" ON "offchain"."idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "mint_wallet" ON "offchain"."mint" USING btree ("wallet") WHERE state <> 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX "mint_token" ON "offchain"."mint" USING btree ("token_id");--> statement-breakpoint
CREATE INDEX "mint_state" ON "offchain"."mint" USING btree ("state");--> statement-breakpoint
CREATE UNIQUE INDEX "proof_account" ON "offchain"."proof" USING btree ("platform","account_id") WHERE status <> 'lapsed';--> statement-breakpoint
CREATE INDEX "referral_referrer" ON "offchain"."referral" USING btree ("referrer_token_id");--> statement-breakpoint
CREATE INDEX "tx_attempt_intent" ON "offchain"."tx_attempt" USING btree ("intent_id");--> statement-breakpoint
CREATE INDEX "tx_intent_open" ON "offchain"."tx_intent" USING btree ("state","id") WHERE state in ('queued', 'signed');--> statement-breakpoint
CREATE UNIQUE INDEX "tx_intent_nonce" ON "offchain"."tx_intent" USING btree ("nonce") WHERE state in ('signed', 'mined', 'reverted');--> statement-breakpoint
CREATE INDEX "tx_intent_mined" ON "offchain"."tx_intent" USING btree ("block") WHERE state in ('mined', 'reverted');