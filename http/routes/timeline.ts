// Scenes as a sequence that an editing program opens.
import { Type } from 'typebox';
import {
  mostFramesPerSecond,
  mostItems,
  mostSeconds,
  mostSide,
  TimelineAnswer,
  type TimelineItem,
  timelineFacts,
  timelineFormats,
} from '../../actors/exporter/timeline/contract.ts';
import { defaulted, described, oneOf, shown } from '../../runtime/schema.ts';
import { AbsolutePath, absolute } from '../request/paths.ts';
import { type Route, reply, route } from '../route.ts';

const tag = 'Export';

const Name = Type.String({ minLength: 1, maxLength: 1000 });
const Seconds = Type.Number({ minimum: 0, maximum: mostSeconds });
const Side = Type.Integer({ minimum: 2, maximum: mostSide });

const Item = Type.Object({
  media_path: AbsolutePath,
  source_start_seconds: described(Seconds, 'From the start of the file.'),
  source_end_seconds: described(
    Seconds,
    'After the start. An end in the last, broken second of the file is the end of the file.',
  ),
  timeline_start_seconds: Type.Optional(
    described(Seconds, 'Where it begins; left out, where the item before it of the same `track` ends.'),
  ),
  track: described(
    oneOf('video', 'audio'),
    '`video`: the picture without its sound. `audio`: the sound alone.',
  ),
  name: Type.Optional(described(Name, 'Of the clip; the name of the file when left out.')),
});

const body = {
  output_path: Type.Optional(
    described(
      AbsolutePath,
      'Absolute path of the file to write; its folder is made. Left out, the text is in the answer.',
    ),
  ),
  sequence_name: defaulted(Name, 'Sequence'),
  fps: Type.Optional(
    described(
      Type.Number({ minimum: 1, maximum: mostFramesPerSecond }),
      '23.976, 24, 25, 29.97, …: that of the first film when left out.',
    ),
  ),
  width: Type.Optional(described(Side, 'px; that of the first picture when left out.')),
  height: Type.Optional(Side),
  items: described(
    shown(Type.Array(Item, { minItems: 1, maxItems: mostItems }), [
      { media_path: '/media/film.mp4', source_start_seconds: 10, source_end_seconds: 14, track: 'video' },
    ]),
    'Ranges of files, in the order in which they cover each other.',
  ),
};

const rules =
  'Items that overlap lie on tracks one above the other, later ones on top. Both ends of an item are rounded to the frames ' +
  'of the sequence, so items that meet in seconds meet in frames; `total_duration_seconds` is the latest end after that. ' +
  'Every file is asked what it is: one that cannot be read is a 400 that names the item, and nothing is written. A name that ' +
  'is taken gets `-2`, `-3` and so on; `output_path` of the answer is where the file lies. `warnings` tell of rates that ' +
  'vary or that no editing program counts at, which are counted at the nearest one that is.';

/** With paths in their plain form. */
function plain({ items, output_path }: { items: readonly TimelineItem[]; output_path?: string | undefined }) {
  return {
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
  body: Type.Object(body),
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
  body: Type.Object({
    format: oneOf(...timelineFormats),
    ...body,
    start_timecode: Type.Optional(
      described(
        Type.String({ pattern: '^\\d{2}:\\d{2}:\\d{2}[:;]\\d{2,3}$' }),
        'Timecode of the first frame, HH:MM:SS:FF; `;` before the frames drops frame numbers.',
      ),
    ),
  }),
  answers: { 200: TimelineAnswer },
  handle: async ({ body, signal }, { timelines }) =>
    reply(200, await timelines.make({ ...body, ...plain(body) }, signal)),
});

export const timelineRoutes: readonly Route[] = [exportPremiereXml, exportTimeline];
