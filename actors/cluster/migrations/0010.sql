-- Roots of the files that a job reads: a worker takes a job only where it can read all of them.
alter table framehound.job add column roots text[] not null default '{}';
update framehound.job set roots = array(
    select distinct split_part(substr(path, 6), '/', 1)
      from jsonb_array_elements_text(paths) as p(path) where path like 'root:%'
  ) where not ended;

-- The roots that a machine has, and those of the cluster whose files it cannot read.
alter table framehound.node add column roots text[] not null default '{}';
alter table framehound.node add column lacks text[] not null default '{}';
-- Its home folder: several nodes may be on one machine, and a home folder may be a copy of another one.
alter table framehound.node add column home text not null default '';
