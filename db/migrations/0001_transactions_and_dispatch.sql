CREATE SEQUENCE "offchain"."dispatch_batch" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "offchain"."dispatcher_state" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"schema" text NOT NULL,
	"generation" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."job_run" (
	"name" text PRIMARY KEY NOT NULL,
	"last_started_at" timestamp with time zone NOT NULL,
	"last_success_at" timestamp with time zone,
	"next_run_at" timestamp with time zone NOT NULL,
	"rows" integer,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "offchain"."sender_state" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"address" text NOT NULL,
	"balance_wei" numeric(78, 0) NOT NULL,
	"funded" boolean NOT NULL,
	"checked_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."tx_attempt" ADD COLUMN "broadcast_block" bigint;--> statement-breakpoint
CREATE INDEX "dispatch_pending" ON "offchain"."dispatch" USING btree ("batch") WHERE state = 'pending';