-- Whether a card is signed is known once the whole of it was read again.
update offchain.offer_source set etag = null, last_modified = null where kind = 'agent_card';
--> statement-breakpoint
-- What is not asked for its port was taken for silent.
update offchain.offer_source set status = 'waiting', silent_since = null, failures = 0
where status = 'refused' and why like '%must use the usual port%';
--> statement-breakpoint
-- Last: searches wait for what is locked here.
ALTER TABLE "offchain"."offer_source" ADD COLUMN "confirmed_by" text, ADD COLUMN "is_signed" boolean DEFAULT false NOT NULL;
