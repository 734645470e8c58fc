CREATE INDEX "offer_source_trusted_lately" ON "offchain"."offer_source" USING btree ((confirmed_by is not null),"trust","directory_id" DESC NULLS FIRST) WHERE confirmed_by is not null or (silent_since is null and answered_at is not null);--> statement-breakpoint
DROP INDEX "offchain"."offer_source_confirmed";--> statement-breakpoint
DROP INDEX "offchain"."offer_source_trusted";