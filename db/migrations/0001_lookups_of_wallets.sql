CREATE TABLE "offchain"."attestation_lookup" (
	"wallet" text PRIMARY KEY NOT NULL,
	"attestation_uid" text,
	"schema_uid" text,
	"attester" text,
	"expires_at" bigint,
	"configuration" text,
	"checked_at" timestamp with time zone,
	"failed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."wallet_walk" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"newest" bigint DEFAULT 0 NOT NULL,
	"walked" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."ethos_score" ALTER COLUMN "fetched_at" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."ethos_score" ADD COLUMN "failed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "offchain"."ethos_score" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "attestation_lookup_found" ON "offchain"."attestation_lookup" USING btree ("wallet") WHERE attestation_uid is not null;--> statement-breakpoint
CREATE INDEX "attestation_lookup_checked" ON "offchain"."attestation_lookup" USING btree ("checked_at");--> statement-breakpoint
CREATE INDEX "attestation_lookup_never_checked" ON "offchain"."attestation_lookup" USING btree ("failed_at") WHERE checked_at is null;--> statement-breakpoint
CREATE INDEX "ethos_never_fetched" ON "offchain"."ethos_score" USING btree ("failed_at") WHERE fetched_at is null;