// What media can be filtered by: facets with counts under the filters in force.
import { FacetAnswer, FacetRequest } from '../../actors/search/contract.ts';
import { type Route, reply, route } from '../route.ts';

const description = `
If \`scope\` is omitted, the flat fields define the scope: a global scope with \`search_all\`, otherwise the files of
\`media_paths\` and \`hash_strs\`, or everything that is loaded if both are empty. Files are not hashed: a path without its hash
from /media/metadata counts as missing and provides no options. A global scope is everything that is loaded and can be
searched by \`media_type\`, not everything in the folder.

**Counts.** The \`count\` of an option is the number of media that remain if this option is chosen instead of the filters on
its own facet, while the filters on all other facets remain in effect. Files with the same content count once. \`min\` and
\`max\` refer to the same media. Chosen options are listed even if their count is 0. A facet lists its 2,000 most frequent
options, and \`warning\` says if there are more. A folder includes everything below it.

**Operators.** \`single\` and \`multi\` facets support \`is_any_of\`, \`is_not\`, \`include_any_of\`, \`include_all_of\`,
\`exclude_any_of\`, \`exclude_all_of\`; \`numeric\` ones \`is_any_of\`, \`is_not\`, \`include_any_of\`, \`exclude_any_of\`,
\`greater_than\`, \`less_than\`; \`date\` ones the same four and \`before\`, \`after\`. \`is_any_of\` and \`include_any_of\`: the media
has one of the values; \`include_all_of\`: all of them; \`is_not\` and \`exclude_any_of\`: none of them; \`exclude_all_of\`: not
all of them. Comparisons take one value, which is itself excluded. Media without a value pass \`is_not\`,
\`exclude_any_of\` and \`exclude_all_of\`, but no other operator; media without any metadata pass no filter.

**Dates** may be partial: \`2024\`, \`2024-05\`, \`2024-05-17\`, with a time and an offset. \`is_any_of\` matches dates in that
year, month or day, \`before\` matches earlier dates, and \`after\` matches later dates. Times are compared as local times of
the place where the media was made, or as instants if both the media and the value have an offset.
`.trim();

export const metadataFacets = route({
  method: 'POST',
  path: '/api/v1/metadata/facets',
  id: 'metadataFacets',
  tag: 'Metadata',
  summary: 'List facets to filter media by, with counts',
  description,
  body: FacetRequest,
  answers: { 200: FacetAnswer },
  handle: async ({ body, signal }, { search }) => reply(200, await search.facets(body, signal)),
});

export const facetRoutes: readonly Route[] = [metadataFacets];
