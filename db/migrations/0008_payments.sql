CREATE TABLE "offchain"."payment" (
	"payment_id" uuid PRIMARY KEY NOT NULL,
	"method" text NOT NULL,
	"operation" text NOT NULL,
	"state" text DEFAULT 'new' NOT NULL,
	"payer" text NOT NULL,
	"payee" text NOT NULL,
	"chain_id" bigint NOT NULL,
	"asset" text NOT NULL,
	"amount_units" numeric(78, 0) NOT NULL,
	"wallet" text,
	"fingerprint" text NOT NULL,
	"holds" text,
	"effect" jsonb,
	"bought" text,
	"credential" jsonb,
	"valid_before" timestamp with time zone,
	"since_block" bigint NOT NULL,
	"tx_hash" text,
	"log_index" integer,
	"block" bigint,
	"block_hash" text,
	"reason" text,
	"answer_status" integer,
	"answer_headers" jsonb,
	"answer_body" text,
	"lease" uuid,
	"lease_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"paid_at" timestamp with time zone,
	"final_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."payment_fact" (
	"fact" text PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."price_list" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"phase" text NOT NULL,
	"prices" jsonb NOT NULL,
	"since" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."payment_fact" ADD CONSTRAINT "payment_fact_payment_id_payment_payment_id_fk" FOREIGN KEY ("payment_id") REFERENCES "offchain"."payment"("payment_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_holds" ON "offchain"."payment" USING btree ("holds") WHERE state in ('new', 'settling', 'paid');--> statement-breakpoint
CREATE INDEX "payment_open" ON "offchain"."payment" USING btree ("updated_at") WHERE state in ('new', 'settling', 'paid');--> statement-breakpoint
CREATE INDEX "payment_unfinal" ON "offchain"."payment" USING btree ("block") WHERE block is not null and final_at is null;--> statement-breakpoint
CREATE INDEX "payment_released" ON "offchain"."payment" USING btree ("valid_before") WHERE state = 'released' and credential is not null;--> statement-breakpoint
CREATE INDEX "payment_credit" ON "offchain"."payment" USING btree ("payer") WHERE state = 'refund_due';--> statement-breakpoint
CREATE INDEX "payment_wallet_credit" ON "offchain"."payment" USING btree ("wallet") WHERE state = 'refund_due';--> statement-breakpoint
CREATE INDEX "payment_bought" ON "offchain"."payment" USING btree ("bought");--> statement-breakpoint
CREATE INDEX "payment_fact_payment" ON "offchain"."payment_fact" USING btree ("payment_id");