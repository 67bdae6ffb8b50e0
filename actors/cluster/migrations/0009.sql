-- The change with which the newest task was asked for, or resumed: workers have everything before it.
alter table framehound.library add column asked bigint not null default 0;
