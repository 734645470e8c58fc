CREATE TABLE "offchain"."cred_walk" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"walked" bigint DEFAULT 0 NOT NULL,
	"missed" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."cred" ADD COLUMN "coinbase_input" bigint;--> statement-breakpoint
ALTER TABLE "offchain"."cred" ADD COLUMN "age_input" bigint;