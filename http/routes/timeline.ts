// Scenes as a sequence that an editing program opens.
import { Type } from 'typebox';
import {
  TimelineAnswer,
  TimelineBody,
  timelineFacts,
  timelineFields,
} from '../../actors/exporter/timeline/contract.ts';
import { field } from '../../runtime/schema.ts';
import { type Route, reply, route } from '../route.ts';

const tag = 'Export';

const rules =
  'Overlapping items are placed on separate tracks, with later items on top. Both ends of an item are ' +
  'rounded to frames of the sequence, so items that are adjacent in seconds are adjacent in frames; ' +
  '`total_duration_seconds` is the latest end after rounding. Every file is inspected. If one cannot ' +
  'be read, the response is 400 with the item in `message` and nothing is written, unless `unreadable` ' +
  'says otherwise. If a name is taken, the new file gets `-2`, `-3` and so on; `output_path` in the ' +
  'response is the path of the file. `warnings` lists skipped items, and frame rates that vary or that ' +
  'editing programs do not support, for which the nearest supported rate is used.';

export const exportPremiereXml = route({
  method: 'POST',
  path: '/api/v1/export/premiere-xml',
  id: 'exportPremiereXml',
  tag,
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
  tag,
  summary: 'Export scenes as a sequence in other formats',
  description:
    `Formats: xmeml (v4), fcpxml (1.8), edl (CMX 3600) and otio (OpenTimelineIO). ${rules} An edl ` +
    'supports one video track, two audio channels, 999 edits and 24 hours; a timeline that exceeds this ' +
    'returns 400 with `format` in `message`.',
  body: TimelineBody,
  answers: { 200: TimelineAnswer },
  handle: async ({ body, signal }, { timelines }) => reply(200, await timelines.make(body, signal)),
});

export const timelineRoutes: readonly Route[] = [exportPremiereXml, exportTimeline];
