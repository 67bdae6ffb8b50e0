// What media can be filtered by: facets with counts under the filters in force.
import { Type } from 'typebox';
import { FacetAnswer } from '../../actors/search/contract.ts';
import { absolute, CacheDir } from '../request/paths.ts';
import { type Route, reply, route } from '../route.ts';
import { filtersField, flatScope, scopeField } from './filter-fields.ts';

const description = `
The scope is \`scope\`, or when it is left out what the flat fields say: \`search_all\` a global one, else the files of
\`media_paths\` and \`hash_strs\`, or everything that is loaded when they name nothing. Files are not hashed: a path without its hash from /media/metadata counts as missing and
gives no options. A global scope is what is loaded and can be searched by \`media_type\`, not everything the folder knows.

**Counts.** An option's \`count\` is the number of media that are left when this option is chosen instead of the filters on
its own facet; the filters on all other facets hold. Two files of the same content are one media. \`min\` and \`max\` are taken
over the same media. Options that are chosen stay listed when their count is 0; a facet lists its 2,000 most frequent
options, and \`warning\` says where there are more. A folder stands for everything below it.

**Operators.** \`single\` and \`multi\` facets take \`is_any_of\`, \`is_not\`, \`include_any_of\`, \`include_all_of\`,
\`exclude_any_of\`, \`exclude_all_of\`; \`numeric\` ones \`is_any_of\`, \`is_not\`, \`include_any_of\`, \`exclude_any_of\`,
\`greater_than\`, \`less_than\`; \`date\` ones the same four and \`before\`, \`after\`. \`is_any_of\` and \`include_any_of\`: the media
has one of the values; \`include_all_of\`: all of them; \`is_not\` and \`exclude_any_of\`: none of them; \`exclude_all_of\`: not
all of them. Comparisons take one value and leave the value itself out. Media that lack a value pass \`is_not\`,
\`exclude_any_of\` and \`exclude_all_of\` and nothing else; media without any metadata pass no filter.

**Dates** may be partial: \`2024\`, \`2024-05\`, \`2024-05-17\`, with a time and an offset. \`is_any_of\` takes what lies inside the
year, month or day; \`before\` what ends before it begins; \`after\` what begins after it ends. A time is compared as the clock
showed it where the media was made, and as an instant when both the media and the value give an offset.
`.trim();

export const metadataFacets = route({
  method: 'POST',
  path: '/api/v1/metadata/facets',
  id: 'metadataFacets',
  tag: 'Metadata',
  summary: 'Facets to filter media by, with counts',
  description,
  body: Type.Object({
    cache_dir: CacheDir,
    scope: Type.Optional(scopeField),
    ...flatScope,
    filters: filtersField,
  }),
  answers: { 200: FacetAnswer },
  handle: async ({ body, signal }, { search }) => {
    const cache_dir = absolute('cache_dir', body.cache_dir);
    return reply(200, await search.facets({ ...body, cache_dir }, signal));
  },
});

export const facetRoutes: readonly Route[] = [metadataFacets];
