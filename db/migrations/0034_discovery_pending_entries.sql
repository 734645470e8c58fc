ALTER INDEX "offchain"."discovery_document_words_7" RESET (fastupdate);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_7" SET (gin_pending_list_limit=64);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_6" RESET (fastupdate);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_6" SET (gin_pending_list_limit=64);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_5" RESET (fastupdate);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_5" SET (gin_pending_list_limit=64);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_4" RESET (fastupdate);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_4" SET (gin_pending_list_limit=64);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_3" RESET (fastupdate);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_3" SET (gin_pending_list_limit=64);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_2" RESET (fastupdate);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_2" SET (gin_pending_list_limit=64);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_1" RESET (fastupdate);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_1" SET (gin_pending_list_limit=64);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_0" RESET (fastupdate);--> statement-breakpoint
ALTER INDEX "offchain"."discovery_document_words_0" SET (gin_pending_list_limit=64);
