ALTER TABLE "offchain"."directory" ADD COLUMN "x402_stated" boolean DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE "offchain"."directory" SET "x402_stated" = true WHERE "x402_supported";
