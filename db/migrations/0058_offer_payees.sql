ALTER TABLE "offchain"."directory" ADD COLUMN "address_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "offchain"."offer_source" ADD COLUMN "read_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "offchain"."offer_version" ADD COLUMN "payees" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."offer_version" ADD COLUMN "told_at" timestamp with time zone;