// Scenes as a sequence that an editing program opens.
import { Type } from 'typebox';
import {
  type ChapterMarkers,
  TimelineAnswer,
  TimelineBody,
  type TimelineItem,
  timelineFacts,
  timelineFields,
} from '../../actors/exporter/timeline/contract.ts';
import { absolute } from '../request/paths.ts';
import { type Route, reply, route } from '../route.ts';

const tag = 'Export';

const rules =
  'Items that overlap lie on tracks one above the other, later ones on top. Both ends of an item are rounded to the frames ' +
  'of the sequence, so items that meet in seconds meet in frames; `total_duration_seconds` is the latest end after that. ' +
  'Every file is asked what it is: one that cannot be read is a 400 that names the item, and nothing is written, unless ' +
  '`unreadable` says otherwise. A name that is taken gets `-2`, `-3` and so on; `output_path` of the answer is where the ' +
  'file lies. `warnings` tell of items that were left out, and of rates that vary or that no editing program counts at, ' +
  'which are counted at the nearest one that is.';

interface Body {
  readonly items: readonly TimelineItem[];
  readonly output_path?: string | undefined;
  readonly chapter_markers?: ChapterMarkers | undefined;
}

/** With paths in their plain form. */
function plain({ items, output_path, chapter_markers: markers }: Body) {
  const field = 'chapter_markers.cache_dir';
  return {
    ...(markers && { chapter_markers: { ...markers, cache_dir: absolute(field, markers.cache_dir) } }),
    items: items.map((item, i) => ({
      ...item,
      media_path: absolute(`items[${i}].media_path`, item.media_path),
    })),
    output_path: output_path === undefined ? null : absolute('output_path', output_path),
  };
}

export const exportPremiereXml = route({
  method: 'POST',
  path: '/api/v1/export/premiere-xml',
  id: 'exportPremiereXml',
  tag,
  summary: 'Scenes as a sequence in XMEML v4, for Premiere Pro and others',
  description: rules,
  body: Type.Object(timelineFields),
  answers: { 200: Type.Object({ ...timelineFacts, xml: Type.Optional(Type.String()) }) },
  handle: async ({ body, signal }, { timelines }) => {
    const request = { ...body, ...plain(body), format: 'xmeml' } as const;
    const { format: _, mime_type: __, content: xml, ...facts } = await timelines.make(request, signal);
    return reply(200, { ...facts, ...(xml !== undefined && { xml }) });
  },
});

export const exportTimeline = route({
  method: 'POST',
  path: '/api/v1/export/timeline',
  id: 'exportTimeline',
  tag,
  summary: 'Scenes as a sequence in other formats',
  description:
    `xmeml (v4), fcpxml (1.8), edl (CMX 3600) or otio (OpenTimelineIO). ${rules} An edl holds one track of pictures, two ` +
    'channels of sound, 999 edits and 24 hours: what does not fit is a 400 that names `format`.',
  body: TimelineBody,
  answers: { 200: TimelineAnswer },
  handle: async ({ body, signal }, { timelines }) =>
    reply(200, await timelines.make({ ...body, ...plain(body) }, signal)),
});

export const timelineRoutes: readonly Route[] = [exportPremiereXml, exportTimeline];
