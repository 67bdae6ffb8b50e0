// Lists of moments that the service keeps, to be made into timelines and clips; timelines; sidecars.
import { Type } from 'typebox';
import { SidecarsAnswer, SidecarsRequest } from '../../actors/exporter/sidecars/contract.ts';
import {
  TimelineAnswer,
  TimelineBody,
  timelineFacts,
  timelineFields,
} from '../../actors/exporter/timeline/contract.ts';
import {
  GivenItem,
  ListName,
  ListOverview,
  ListVersion,
  listErrors,
  MomentList,
  mostListItems,
} from '../../actors/library/lists/contract.ts';
import { defaulted, described, field, Message, shown } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Lists';

const Id = Type.Object({
  list_id: described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of the list.'),
});
const example = [{ media_path: '/media/film.mp4', start_seconds: 10, end_seconds: 14 }];
const Items = described(
  shown(Type.Array(GivenItem, { maxItems: mostListItems }), example),
  'Moments in the order of the list.',
);
const One = Type.Object({ list: field('The list as it is now stored.', MomentList) });

const storageText =
  'Lists are stored in the home folder of the service, independently of the analysis folder.';

export const listLists = route({
  method: 'GET',
  path: '/api/v1/lists',
  id: 'listLists',
  tag,
  summary: 'List the lists of moments',
  description: `${storageText} Lists whose files cannot be read are reported in \`unreadable\`.`,
  answers: { 200: ListOverview },
  handle: async ({ signal }, { lists }) => reply(200, await lists.list(signal)),
});

export const makeList = route({
  method: 'POST',
  path: '/api/v1/lists',
  id: 'makeList',
  tag,
  summary: 'Create a list of moments',
  description:
    `${storageText} Returns 400 with the field in \`message\` if an item is not valid, and 409 if there are too ` +
    'many lists.',
  body: Type.Object({ name: ListName, items: defaulted(Items, []) }),
  answers: { 201: One, 409: ErrorBody },
  handle: async ({ body, signal }, { lists }) => reply(201, { list: await lists.make(body, signal) }),
});

export const getList = route({
  method: 'GET',
  path: '/api/v1/lists/{list_id}',
  id: 'getList',
  tag,
  summary: 'Get a list with its moments',
  description:
    'To use an item in /export/timeline, send `media_path`, `start_seconds` as `source_start_seconds`, ' +
    '`end_seconds` as `source_end_seconds`, `name`, and a `track`, usually `both`. In /export/clips, ' +
    'send `media_path`, `start_seconds` and `end_seconds` unchanged.',
  params: Id,
  answers: { 200: One, 404: ErrorBody },
  handle: async ({ params, signal }, { lists }) =>
    reply(200, { list: await lists.get(params.list_id, signal) }),
});

export const changeList = route({
  method: 'PUT',
  path: '/api/v1/lists/{list_id}',
  id: 'changeList',
  tag,
  summary: 'Change a list of moments',
  description:
    'Omitted fields stay unchanged; `items` replaces all items. An item with an `item_id` remains the ' +
    'same item. Returns 409 with the stored `version` if the list has changed since the `version` in the ' +
    'request.',
  params: Id,
  body: Type.Object({
    version: described(ListVersion, 'The version of the list that this change is based on.'),
    name: Type.Optional(ListName),
    items: Type.Optional(Items),
  }),
  answers: {
    200: One,
    404: ErrorBody,
    409: Type.Object({
      ...ErrorBody.properties,
      version: described(ListVersion, 'Version of the stored list.'),
    }),
  },
  handle: async ({ params, body, signal }, { lists }) =>
    reply(200, { list: await lists.change(params.list_id, body, signal) }),
  onError: async (error) => {
    if (!listErrors.LIST_CHANGED.is(error)) return undefined;
    const { meaning, message, details } = error;
    return reply(409, { error: meaning, message, version: Number(details['version']) });
  },
});

export const deleteList = route({
  method: 'DELETE',
  path: '/api/v1/lists/{list_id}',
  id: 'deleteList',
  tag,
  summary: 'Delete a list of moments',
  description: 'The media are not changed. A list whose file cannot be read is not deleted.',
  params: Id,
  answers: { 200: Type.Object({ message: Message }), 404: ErrorBody },
  handle: async ({ params, signal }, { lists }) => {
    await lists.remove(params.list_id, signal);
    return reply(200, { message: 'List removed' });
  },
});

export const listRoutes: readonly Route[] = [listLists, makeList, getList, changeList, deleteList];

// Scenes as a sequence that an editing program opens.

const exportTag = 'Export';

const rules =
  'Overlapping items are placed on separate tracks, with later items on top, at most 99. Both ends of an item are ' +
  'rounded to frames of the sequence, so items that are adjacent in seconds are adjacent in frames; ' +
  '`total_duration_seconds` is the latest end after rounding. Every file is inspected; one that is away is ' +
  'placed by what the analysis folder of `cache_dir` knows of it. If a file cannot ' +
  'be read, the response is 400 with the item in `message` and nothing is written, unless `unreadable` ' +
  'says otherwise. If a name is taken, the new file gets `-2`, `-3` and so on; `output_path` in the ' +
  'response is the path of the file. `warnings` lists skipped items, files that are away, and frame rates that vary or that ' +
  'editing programs do not support, for which the nearest supported rate is used.';

export const exportPremiereXml = route({
  method: 'POST',
  path: '/api/v1/export/premiere-xml',
  id: 'exportPremiereXml',
  tag: exportTag,
  summary: 'Export scenes as a sequence in XMEML v4',
  description: rules,
  body: Type.Object(timelineFields),
  answers: {
    200: Type.Object({
      ...timelineFacts,
      xml: field('The sequence as XMEML v4, if no `output_path` was given.', Type.Optional(Type.String())),
    }),
  },
  handle: async ({ body, signal }, { timelines }) => {
    const request = { ...body, format: 'xmeml' } as const;
    const { format: _, mime_type: __, content: xml, ...facts } = await timelines.make(request, signal);
    return reply(200, { ...facts, ...(xml !== undefined && { xml }) });
  },
});

export const exportTimeline = route({
  method: 'POST',
  path: '/api/v1/export/timeline',
  id: 'exportTimeline',
  tag: exportTag,
  summary: 'Export scenes as a sequence in other formats',
  description:
    `Formats: xmeml (v4), fcpxml (1.8), edl (CMX 3600) and otio (OpenTimelineIO). ${rules} An edl ` +
    'supports one video track, two audio channels, 999 edits, 24 hours and 100 frames per second; a timeline ' +
    'that exceeds this ' +
    'returns 400 with `format` in `message`.',
  body: TimelineBody,
  answers: { 200: TimelineAnswer },
  handle: async ({ body, signal }, { timelines }) => reply(200, await timelines.make(body, signal)),
});

export const timelineRoutes: readonly Route[] = [exportPremiereXml, exportTimeline];

// Facts about single media, as files for other programs.

export const exportSidecars = route({
  method: 'POST',
  path: '/api/v1/export/sidecars',
  id: 'exportSidecars',
  tag: exportTag,
  summary: 'Write what was found in media as JSON and XMP files',
  description:
    'Writes `NAME.json` and `NAME.xmp` for each file, such as `film.mp4.xmp`, into a folder that mirrors the library, or ' +
    'beside the media. Keywords (`dc:subject`) are those that XMP of the media already had, the things of ' +
    '`things.seen`, and `music` and `singing`. People (`Iptc4xmpExt:PersonInImage`) are those with a name; in stills their faces are regions ' +
    '(`mwg-rs:Regions`) of the stored pixels, before EXIF orientation. Films and sound have `xmpDM:Tracks`: `People` ' +
    'and `Sounds` with ranges of seconds, and `Speech` with segments and speakers. An existing file is replaced only if framehound ' +
    'wrote it; otherwise it is left alone and the result says so. A file that fails is a result with an `error`, and ' +
    'the others are written. Media that are missing are described as they were analysed. If the client disconnects, ' +
    'complete files are kept.',
  body: SidecarsRequest,
  answers: { 200: SidecarsAnswer },
  handle: async ({ body, signal }, { sidecars }) => reply(200, await sidecars.make(body, signal)),
});

export const sidecarRoutes: readonly Route[] = [exportSidecars];
