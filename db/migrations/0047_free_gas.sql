DROP INDEX "offchain"."mint_client_network";--> statement-breakpoint
ALTER TABLE "offchain"."sender_state" ADD COLUMN "free_wei" numeric(78, 0) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."sender_state" ADD COLUMN "newcomers_wei" numeric(78, 0) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."sender_state" ADD COLUMN "fee_wei" numeric(78, 0) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."transaction_outbox" ADD COLUMN "free_for" text;--> statement-breakpoint
ALTER TABLE "offchain"."transaction_outbox" ADD COLUMN "free_token" bigint;--> statement-breakpoint
ALTER TABLE "offchain"."transaction_outbox" ADD COLUMN "free_networks" text[];--> statement-breakpoint
ALTER TABLE "offchain"."transaction_outbox" ADD COLUMN "free_known" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."transaction_outbox" ADD COLUMN "free_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "offchain"."transaction_outbox" ADD COLUMN "gas_bound" bigint;--> statement-breakpoint
ALTER TABLE "offchain"."transaction_outbox" ADD COLUMN "gas_used" bigint;--> statement-breakpoint
CREATE INDEX "transaction_outbox_free_for" ON "offchain"."transaction_outbox" USING btree ("free_for","free_at") WHERE free_for is not null;--> statement-breakpoint
CREATE INDEX "transaction_outbox_free_token" ON "offchain"."transaction_outbox" USING btree ("free_token","free_at") WHERE free_token is not null;--> statement-breakpoint
CREATE INDEX "transaction_outbox_free_networks" ON "offchain"."transaction_outbox" USING btree ("free_at") WHERE free_networks is not null;--> statement-breakpoint
ALTER TABLE "offchain"."mint" DROP COLUMN "client_network";