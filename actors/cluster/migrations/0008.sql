-- Up to this change, what happened was searched by saved searches and sent to webhooks; null as long as nobody does.
alter table framehound.library add column told bigint;
