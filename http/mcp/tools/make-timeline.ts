// make_timeline: moments with in and out as a sequence for an editing program.
import { type Static, Type } from 'typebox';
import {
  type TimelineAnswer,
  type TimelineFormat,
  timelineFormats,
} from '../../../actors/exporter/timeline/contract.ts';
import { defaulted, described, oneOf } from '../../../runtime/schema.ts';
import { ApiError } from '../../client/error.ts';
import { inOurWords, notes, oneLine, secondsText, timeText } from '../answer.ts';
import { findMedia, type MediaReference } from '../media.ts';
import { argumentErrors, type Call, MediaName, Seconds, tool } from '../tool.ts';

const Clip = Type.Object({
  media: MediaName,
  in: described(Seconds, 'First second of the clip in the file.'),
  out: described(Seconds, 'Second at which it ends, after in.'),
  name: Type.Optional(described(Type.String({ minLength: 1, maxLength: 200 }), 'What the clip is called.')),
});

export const makeTimeline = tool({
  name: 'make_timeline',
  title: 'Make a timeline',
  description:
    'Writes clips, one after the other with their sound, as a timeline that editing programs open, and answers the path. ' +
    'The scene of a moment in find_moments is a good in and out. Existing files are never overwritten: a name that is taken ' +
    'gets -2, -3 and so on.',
  input: Type.Object({
    clips: described(
      Type.Array(Clip, { minItems: 1, maxItems: 500 }),
      'In the order in which they are shown.',
    ),
    format: defaulted(
      described(oneOf(...timelineFormats), 'xmeml: Premiere Pro; fcpxml: Final Cut Pro, Resolve; edl; otio.'),
      'xmeml',
    ),
    output_path: described(
      Type.String({ minLength: 1, maxLength: 4096 }),
      'Absolute path of the output file on the machine of the service, in an existing folder.',
    ),
    name: defaulted(
      described(Type.String({ minLength: 1, maxLength: 200 }), 'Name of the sequence.'),
      'Sequence',
    ),
  }),
  output: Type.Object({
    output_path: Type.String(),
    clips: Type.Integer(),
    duration_seconds: Type.Number(),
    fps: described(Type.Number(), 'Frame rate of the sequence.'),
    warnings: Type.Array(Type.String()),
  }),
  effect: 'adds',
  run: async ({ clips, format, output_path, name }, call) => {
    const mediaByName = new Map<string, MediaReference>();
    for (const [i, clip] of clips.entries()) {
      if (clip.out <= clip.in)
        throw argumentErrors.BAD_ARGUMENT(`${nameOf(i)}.out: must be after in`, {
          field: `${nameOf(i)}.out`,
        });
      if (!mediaByName.has(clip.media))
        mediaByName.set(clip.media, await findMedia(clip.media, `${nameOf(i)}.media`, call));
    }
    const kinds = await kindsOf(
      clips.map(({ media }) => mediaByName.get(media)!),
      call,
    );
    let starts = 0;
    const placed = clips.map((clip): Placed => {
      const { path } = mediaByName.get(clip.media)!;
      const item = { ...clip, path, kind: kinds.get(path) ?? 'video', starts };
      starts += clip.out - clip.in;
      return item;
    });
    const answer = await written({ format, sequence_name: name, output_path }, placed, call);
    const { total_duration_seconds: length, fps, warnings = [] } = answer;
    const path = answer.output_path ?? output_path;
    const what = `${clips.length} clips, ${timeText(length)} (${secondsText(length)} s) at ${secondsText(fps)} frames per second`;
    return {
      text: [`Written: ${oneLine(path, 4200)}`, what, ...notes(warnings)].join('\n'),
      data: { output_path: path, clips: clips.length, duration_seconds: length, fps, warnings },
    };
  },
});

type Kind = 'video' | 'audio' | 'image';

interface Placed extends Static<typeof Clip> {
  readonly path: string;
  readonly kind: Kind;
  /**
   * Where it begins in the sequence, in seconds: a clip without sound leaves a gap on the tracks of sound.
   */
  readonly starts: number;
}

const nameOf = (clip: number) => `clips[${clip}]`;

/**
 * Kinds by path. Throws BAD_ARGUMENT for a file that differs from the analysed one; the service itself
 * reports unreadable files.
 */
async function kindsOf(
  media: readonly MediaReference[],
  { client, cacheDir, callOptions }: Call,
): Promise<ReadonlyMap<string, Kind>> {
  const media_paths = [...new Set(media.map(({ path }) => path))];
  const { media_properties } = await client.mediaMetadata({ cache_dir: cacheDir, media_paths }, callOptions);
  for (const [i, { path, hash_str }] of media.entries()) {
    const now = media_properties[path];
    if (now === undefined || now.hash_str === hash_str) continue;
    const message = `${nameOf(i)}.media: another file is now at ${oneLine(path, 400)}, so its seconds show something else. Call analyze with this path, and find the moments again.`;
    throw argumentErrors.BAD_ARGUMENT(message, { field: `${nameOf(i)}.media` });
  }
  return new Map(Object.entries(media_properties).map(([path, { kind }]) => [path, kind]));
}

interface Sequence {
  readonly format: TimelineFormat;
  readonly sequence_name: string;
  readonly output_path: string;
}

/**
 * Nothing says beforehand which films have sound: the service refuses the sound of one that has none, and
 * writes nothing.
 */
async function written(
  sequence: Sequence,
  placed: readonly Placed[],
  { client, cacheDir, callOptions }: Call,
): Promise<TimelineAnswer> {
  const mute = new Set<string>();
  for (;;) {
    const items = placed.flatMap((clip, of) =>
      tracksOf(clip, mute).map((track) => ({ of, ...itemOf(clip, track) })),
    );
    try {
      const request = { ...sequence, cache_dir: cacheDir, items: items.map(({ of: _, ...item }) => item) };
      return await client.exportTimeline(request, callOptions);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const [, at, problem = ''] = /items\[(\d+)\](.*)/s.exec(error.message) ?? [];
      const item = at === undefined ? undefined : items[Number(at)];
      if (item === undefined) throw error;
      if (item.track !== 'audio' || !/has no sound/.test(problem) || mute.has(item.media_path))
        throw argumentErrors.BAD_ARGUMENT(
          `${nameOf(item.of)}${oneLine(inOurWords(problem), 600)}`,
          { field: 'clips' },
          error,
        );
      mute.add(item.media_path);
    }
  }
}

function tracksOf({ kind, path }: Placed, mute: ReadonlySet<string>): ('video' | 'audio')[] {
  if (kind === 'audio') return ['audio'];
  return kind === 'image' || mute.has(path) ? ['video'] : ['video', 'audio'];
}

function itemOf(clip: Placed, track: 'video' | 'audio') {
  return {
    media_path: clip.path,
    source_start_seconds: clip.in,
    source_end_seconds: clip.out,
    timeline_start_seconds: clip.starts,
    track,
    ...(clip.name !== undefined && { name: clip.name }),
  };
}
