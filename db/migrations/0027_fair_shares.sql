CREATE TABLE "offchain"."allowance" (
	"name" text PRIMARY KEY NOT NULL,
	"level" double precision NOT NULL,
	"most" double precision NOT NULL,
	"per_second" double precision NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."webhook_turn" (
	"owner" text PRIMARY KEY NOT NULL,
	"due_new" timestamp with time zone,
	"due_answering" timestamp with time zone,
	"due_slow" timestamp with time zone,
	"slow_until" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "offchain"."proof" ADD COLUMN "asked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "offchain"."webhook" ADD COLUMN "network" text;--> statement-breakpoint
ALTER TABLE "offchain"."webhook" ADD COLUMN "lane" text DEFAULT 'new' NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."webhook" ADD COLUMN "slow_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "offchain"."webhook_cursor" ADD COLUMN "through" bigint;--> statement-breakpoint
ALTER TABLE "offchain"."webhook_cursor" ADD COLUMN "handed_to" text;--> statement-breakpoint
ALTER TABLE "offchain"."webhook_cursor" ADD COLUMN "caught_up_to" text;--> statement-breakpoint
CREATE INDEX "webhook_turn_new" ON "offchain"."webhook_turn" USING btree ("due_new") WHERE due_new is not null;--> statement-breakpoint
CREATE INDEX "webhook_turn_answering" ON "offchain"."webhook_turn" USING btree ("due_answering") WHERE due_answering is not null;--> statement-breakpoint
CREATE INDEX "webhook_turn_slow" ON "offchain"."webhook_turn" USING btree ("due_slow") WHERE due_slow is not null;--> statement-breakpoint
CREATE INDEX "webhook_network" ON "offchain"."webhook" USING btree ("network");--> statement-breakpoint
CREATE INDEX "webhook_delivery_leased" ON "offchain"."webhook_delivery" USING btree ("webhook_id") WHERE lease is not null;--> statement-breakpoint
UPDATE "offchain"."webhook" w SET lane = 'answering' WHERE failures = 0 AND EXISTS (SELECT FROM "offchain"."webhook_delivery" d WHERE d.webhook_id = w.webhook_id AND d.state = 'delivered');--> statement-breakpoint
INSERT INTO "offchain"."webhook_turn" (owner, due_new, due_answering, due_slow) SELECT DISTINCT owner, now(), now(), now() FROM "offchain"."webhook";
