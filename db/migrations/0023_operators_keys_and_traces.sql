ALTER TABLE "offchain"."api_key" ADD COLUMN "scope" text DEFAULT 'sessions' NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."tx_intent" ADD COLUMN "trace" text;