CREATE TABLE "offchain"."token_uri" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"check_at" timestamp with time zone NOT NULL,
	"base" text,
	"former_base" text,
	"attempt" integer DEFAULT 0 NOT NULL,
	"filled_at" timestamp with time zone
);
--> statement-breakpoint
DROP INDEX "offchain"."tx_intent_open";--> statement-breakpoint
ALTER TABLE "offchain"."tx_intent" ADD COLUMN "waits" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "token_uri_check" ON "offchain"."token_uri" USING btree ("check_at") WHERE state <> 'queued';--> statement-breakpoint
CREATE INDEX "token_uri_none" ON "offchain"."token_uri" USING btree ("token_id") WHERE state = 'none';--> statement-breakpoint
CREATE INDEX "token_uri_without" ON "offchain"."token_uri" USING btree ("token_id") WHERE state not in ('set', 'own');--> statement-breakpoint
CREATE INDEX "token_uri_base" ON "offchain"."token_uri" USING btree ("base","token_id") WHERE state = 'set';--> statement-breakpoint
CREATE INDEX "token_uri_filled" ON "offchain"."token_uri" USING btree ("filled_at") WHERE filled_at is not null;--> statement-breakpoint
CREATE INDEX "tx_intent_open" ON "offchain"."tx_intent" USING btree ("state","waits","id") WHERE state in ('queued', 'signed');