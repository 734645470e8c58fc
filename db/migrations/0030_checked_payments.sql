ALTER TABLE "offchain"."payment" ADD COLUMN "digest" text;--> statement-breakpoint
ALTER TABLE "offchain"."payment" ADD COLUMN "noted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "offchain"."payment" ADD COLUMN "client" text;--> statement-breakpoint
ALTER TABLE "offchain"."payment" ADD COLUMN "looked_at" timestamp with time zone;--> statement-breakpoint
-- Payments that had come back by a transaction's hash kept the method of their first attempt; a reorganisation left them
-- in settling with nothing to settle.
UPDATE "offchain"."payment" SET "method" = 'transaction'
WHERE "method" = 'x402' AND "credential" IS NULL AND "final_at" IS NULL;--> statement-breakpoint
UPDATE "offchain"."payment" SET "state" = 'released', "reason" = 'reorganised_away', "lease" = null, "lease_until" = null
WHERE "method" = 'transaction' AND "state" IN ('new', 'settling');
