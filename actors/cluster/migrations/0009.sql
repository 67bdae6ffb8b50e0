-- Nodes held parts of the library and asked each other. Each has all of it now.
alter table framehound.library drop column secret;
alter table framehound.node drop column hold;
alter table framehound.node drop column address;
