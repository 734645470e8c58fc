-- Defects of registration files have codes: files with any are read again, those of a server as a whole at their next
-- read, those inside a URI at once.
update offchain.directory_item i set digest = ''
from offchain.registration_file f
where i.source = 'erc8004' and i.source_id = f.agent_id::text and (f.warnings <> '{}' or f.errors <> '{}');
--> statement-breakpoint
update offchain.registration_file set etag = null, last_modified = null
where warnings <> '{}' or errors <> '{}';
