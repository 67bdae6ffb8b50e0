-- Up to this change, what happened was searched by saved searches and sent to webhooks; null as long as nobody does.
alter table framehound.library add column told bigint;

-- The change with which the newest task was asked for, or resumed: workers have everything before it.
alter table framehound.library add column asked bigint not null default 0;
