-- Files that were read before their skills were taken over: those of a server are sent again as a whole at their next read,
-- those inside a URI are read at once.
update offchain.directory_item i set digest = ''
from offchain.registration_file f
where i.source = 'erc8004' and i.source_id = f.agent_id::text and f.content is not null and not f.content ? 'skills';
--> statement-breakpoint
update offchain.registration_file set etag = null, last_modified = null
where content is not null and not content ? 'skills';
