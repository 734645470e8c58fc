CREATE TABLE "offchain"."solana_challenge" (
	"nonce" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"purpose" text NOT NULL,
	"evm_address" text,
	"issued_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_by" text,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
DROP INDEX "offchain"."mint_wallet";--> statement-breakpoint
ALTER TABLE "offchain"."mint" ADD COLUMN "solana_address" text;--> statement-breakpoint
ALTER TABLE "offchain"."mint" ADD COLUMN "registrant" text GENERATED ALWAYS AS (coalesce(solana_address, wallet)) STORED;--> statement-breakpoint
CREATE INDEX "solana_challenge_expires" ON "offchain"."solana_challenge" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "mint_registrant" ON "offchain"."mint" USING btree ("registrant") WHERE state <> 'failed';