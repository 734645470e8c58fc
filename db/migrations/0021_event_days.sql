DROP INDEX "offchain"."event_position";--> statement-breakpoint
DROP INDEX "offchain"."event_final_position";--> statement-breakpoint
ALTER TABLE "offchain"."event" DROP CONSTRAINT "event_pkey";--> statement-breakpoint
ALTER TABLE "offchain"."event" ADD CONSTRAINT "event_id_at_pk" PRIMARY KEY("id","at");--> statement-breakpoint
CREATE INDEX "event_position" ON "offchain"."event" USING btree ("position");--> statement-breakpoint
CREATE INDEX "event_final_position" ON "offchain"."event" USING btree ("final_position") WHERE final_position is not null;