-- When the last change that was cut was made, milliseconds since 1970: by number and time a replica knows that it
-- is one of this log, and not of one that a restored database has lost.
alter table framehound.library add column cut_at double precision;
