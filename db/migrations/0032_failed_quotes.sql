ALTER TABLE "offchain"."token_market" ALTER COLUMN "fetched_at" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."token_market" ADD COLUMN "failed_at" timestamp with time zone;