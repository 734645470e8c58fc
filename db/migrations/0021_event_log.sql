CREATE TABLE "offchain"."event" (
	"id" text PRIMARY KEY NOT NULL,
	"noted_id" bigserial NOT NULL,
	"position" bigint,
	"final_position" bigint,
	"type" text NOT NULL,
	"token_id" bigint,
	"agent_address" text,
	"owner" text,
	"former_owner" text,
	"data" jsonb NOT NULL,
	"block" bigint,
	"tx_hash" text,
	"at" timestamp with time zone NOT NULL,
	"final" boolean NOT NULL,
	"retracted" boolean DEFAULT false NOT NULL,
	"retracts" text,
	"source" text
);
--> statement-breakpoint
CREATE TABLE "offchain"."event_log" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"head" bigint DEFAULT 0 NOT NULL,
	"kept_after" bigint DEFAULT 0 NOT NULL,
	"cred_after" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."dispatch" ADD COLUMN "returns" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "event_position" ON "offchain"."event" USING btree ("position");--> statement-breakpoint
CREATE UNIQUE INDEX "event_final_position" ON "offchain"."event" USING btree ("final_position") WHERE final_position is not null;--> statement-breakpoint
CREATE INDEX "event_noted" ON "offchain"."event" USING btree ("noted_id") WHERE position is null;--> statement-breakpoint
CREATE INDEX "event_source" ON "offchain"."event" USING btree ("source") WHERE source is not null and type <> 'cred.changed';--> statement-breakpoint
CREATE INDEX "event_score" ON "offchain"."event" USING btree ("token_id") WHERE type = 'cred.changed' and not retracted;--> statement-breakpoint
CREATE INDEX "event_open" ON "offchain"."event" USING btree ("block") WHERE not final and not retracted;--> statement-breakpoint
CREATE INDEX "event_newly_final" ON "offchain"."event" USING btree ("position") WHERE final and final_position is null and not retracted and retracts is null;--> statement-breakpoint
-- The log begins now: scores of before are not told.
INSERT INTO "offchain"."event_log" ("cred_after")
  SELECT greatest((SELECT max("id") FROM "offchain"."cred_history"), (SELECT max("id") FROM "offchain"."cred_correction"), 0);
