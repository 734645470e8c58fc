DROP INDEX "offchain"."event_score";--> statement-breakpoint
CREATE INDEX "event_agent" ON "offchain"."event" USING btree ("token_id","position") WHERE not retracted and retracts is null;