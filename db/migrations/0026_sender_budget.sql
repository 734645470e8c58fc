ALTER TABLE "offchain"."mint" ADD COLUMN "client_network" text;--> statement-breakpoint
ALTER TABLE "offchain"."sender_state" ADD COLUMN "spent_wei" numeric(78, 0) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."sender_state" ADD COLUMN "budget_wei" numeric(78, 0) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."sender_state" ADD COLUMN "paused_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "offchain"."tx_attempt" ADD COLUMN "filler" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."tx_intent" ADD COLUMN "cost_wei" numeric(78, 0);--> statement-breakpoint
CREATE INDEX "mint_client_network" ON "offchain"."mint" USING btree ("client_network","created_at") WHERE client_network is not null;--> statement-breakpoint
CREATE INDEX "tx_intent_cost" ON "offchain"."tx_intent" USING btree ("mined_at") WHERE cost_wei is not null;