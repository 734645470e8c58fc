CREATE TABLE "offchain"."token_volume" (
	"token_address" text NOT NULL,
	"day" date NOT NULL,
	"volume_usd" double precision NOT NULL,
	CONSTRAINT "token_volume_token_address_day_pk" PRIMARY KEY("token_address","day")
);
--> statement-breakpoint
ALTER TABLE "offchain"."directory" ADD COLUMN "protocols" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."directory" ADD COLUMN "proofs" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."directory" ADD COLUMN "coinbase" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."directory" ADD COLUMN "volume_7d_usd" double precision;--> statement-breakpoint
ALTER TABLE "offchain"."directory" ADD COLUMN "volume_30d_usd" double precision;--> statement-breakpoint
CREATE INDEX "token_volume_day" ON "offchain"."token_volume" USING btree ("day");