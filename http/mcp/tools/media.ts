// The tools for single files and moments: describe_media and look.
import { Type } from 'typebox';
import type { LibraryMedia } from '../../../actors/library/contract.ts';
import type { ThumbnailsRequest } from '../../../actors/search/thumbnails/contract.ts';
import { shownScore } from '../../../actors/text-reader/contract.ts';
import { defaulted, described } from '../../../runtime/schema.ts';
import { ApiError } from '../../client/error.ts';
import {
  fileName,
  fitting,
  hashText,
  listed,
  MOST_PICTURE_CHARACTERS,
  numbered,
  oneLine,
  quoted,
  rangesText,
  rangeText,
  secondsText,
  sideThatFits,
  timeText,
} from '../answer.ts';
import { findMedia, type Media, mediaOfMoments, parseMoment } from '../media.ts';
import { type Call, MediaName, MomentName, tool } from '../tool.ts';

// describe_media: what is known of one file: the file itself, what is analysed, who and what is seen when,
// what happens.

/** Rows of people and of chapters together. */
const MOST_ROWS = 50;
/** Of these rows, classes of things and printed lines. */
const [MOST_THINGS, MOST_LINES] = [12, 20];
/** Clusterings that are asked who is seen in the file. */
const MOST_CLUSTERINGS = 3;

export const describeMedia = tool({
  name: 'describe_media',
  title: 'Describe a media file',
  description:
    'What is known of one film, still or recording: path, hash, duration, frame rate, what is analysed, who is seen when, ' +
    'things and printed lines with their times, and the chapters of its summary.',
  input: Type.Object({ media: MediaName }),
  effect: 'none',
  run: async ({ media: name }, call) => {
    const media = await findMedia(name, 'media', call);
    const known = await recordOf(media, call);
    const head = [
      `${fileName(media.path)} (${hashText(media.hash_str)})`,
      `Path: ${oneLine(media.path, 4096)}`,
      ...(known ? stored(known) : []),
      ...(await fileFacts(media, call)),
    ];
    const people = known && known.faces.length > 0 ? await seenIn(media, call) : [];
    const sights = known ? await sightsOf(media, call) : [];
    const chapterRows = known && known.summaries > 0 ? await chapters(media, call) : { head: [], rows: [] };
    const rows = [...people, ...sights, ...chapterRows.head, ...chapterRows.rows];
    return listed({
      head,
      rows: rows.slice(0, MOST_ROWS),
      below: (shown) => {
        const left = rows.length - shown;
        return left === 0
          ? []
          : [
              `${left} more lines were omitted. find_moments and who find more with media ["${hashText(media.hash_str)}"].`,
            ];
      },
    });
  },
});

type SpokenSpeakers = NonNullable<LibraryMedia['transcript']>;

async function recordOf(
  { path, hash_str }: Media,
  { client, cacheDir, callOptions }: Call,
): Promise<LibraryMedia | null> {
  const { media } = await client.listLibrary({ cache_dir: cacheDir, under: path, limit: 2 }, callOptions);
  return media.find((one) => one.hash_str === hash_str) ?? null;
}

function stored({ kind, duration_seconds, visual, transcript, faces, summaries }: LibraryMedia): string[] {
  const models = visual.slice(0, 5).map(({ model_key, frames }) => `${oneLine(model_key, 80)} (${frames})`);
  const spoken =
    transcript === null
      ? 'none'
      : `${transcript.segments} passages, ${speakersText(transcript)}, language ${oneLine(transcript.language ?? 'unknown', 40)}`;
  const count = faces.reduce((sum, one) => sum + one.faces, 0);
  return [
    `Kind: ${oneLine(kind ?? 'unknown', 20)}${duration_seconds ? `, ${timeText(duration_seconds)} (${secondsText(duration_seconds)} s)` : ''}`,
    `Pictures analysed: ${models.length === 0 ? 'no' : models.join(', ')}`,
    `Transcript: ${spoken}`,
    `Faces found: ${faces.length === 0 ? 'not looked for' : count}; summaries: ${summaries}`,
  ];
}

function speakersText({ speakers, speakers_uncertain, speaker_range: range }: SpokenSpeakers): string {
  if (range) return `${range.least} to ${range.most} speakers`;
  return `${speakers_uncertain ? 'an uncertain number of' : speakers} speakers`;
}

const notReadable = 'The file is not readable now; what is stored of it can be searched.';

/** The file may be gone, and what is stored of it is still told. */
async function fileFacts(
  { path, hash_str }: Media,
  { client, cacheDir, callOptions }: Call,
): Promise<string[]> {
  try {
    const { media_properties } = await client.mediaMetadata(
      { cache_dir: cacheDir, media_paths: [path] },
      callOptions,
    );
    const facts = Object.values(media_properties)[0];
    if (facts === undefined) return [notReadable];
    if (facts.hash_str !== hash_str)
      return ['Another file is now at this path. All of this describes the file that was analysed before.'];
    const { width, height, fps, timecode } = facts;
    const rate = fps
      ? `, ${secondsText(fps)} frames per second, starts at timecode ${oneLine(timecode, 20)}`
      : '';
    return width > 0 ? [`Picture: ${width}x${height}${rate}`] : [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return [notReadable];
  }
}

async function seenIn({ hash_str }: Media, { client, cacheDir, callOptions }: Call): Promise<string[]> {
  const { jobs } = await client.faceClusters({ cache_dir: cacheDir }, callOptions);
  const here = jobs.filter(
    ({ media_hashes, names }) => media_hashes.includes(hash_str) && Object.keys(names).length > 0,
  );
  const rows: string[] = [];
  for (const { name } of here.slice(0, MOST_CLUSTERINGS)) {
    const { people } = await client.appearances({ cache_dir: cacheDir, cluster_job_name: name }, callOptions);
    for (const person of people) {
      const ranges = person.media.filter((one) => one.hash_str === hash_str).flatMap((one) => one.ranges);
      if (ranges.length > 0)
        rows.push(`Seen: ${oneLine(person.name || person.cluster_id, 80)} at ${rangesText(ranges)}`);
    }
  }
  return rows;
}

const shotNames = { close_up: 'close-up', medium: 'medium', wide: 'wide' } as const;

/** Things, shot sizes and printed lines; what was not measured to be right says so. */
async function sightsOf({ hash_str }: Media, { client, cacheDir, callOptions }: Call): Promise<string[]> {
  const seen = await client.mediaSeen({ cache_dir: cacheDir, hash_str }, callOptions);
  const things = seen.things.toSorted((a, b) => Number(b.measured) - Number(a.measured));
  const shots = [...Map.groupBy(seen.shots, ({ size }) => size)];
  const lines = seen.lines.filter(({ score }) => score >= shownScore);
  const more = lines.length - MOST_LINES;
  const isOld = seen.things_from === 'previews' || seen.lines_from === 'previews';
  return [
    ...(isOld ? ['Things or printed lines were looked for in stored previews, not in the file.'] : []),
    ...things
      .slice(0, MOST_THINGS)
      .map(
        (one) =>
          `${one.measured ? 'Shows' : 'Perhaps shows'}: ${oneLine(one.class, 40)} at ${rangesText(one.ranges)}`,
      ),
    ...shots.map(
      ([size, own]) => `Perhaps ${shotNames[size]} shots of people: ${rangesText(own.map(rangeOf))}`,
    ),
    ...lines
      .slice(0, MOST_LINES)
      .map((line) => `Printed: ${quoted(line.text, 200)} at ${rangesText([rangeOf(line)])}`),
    ...(more > 0 ? [`${more} more printed lines: find_moments with kinds ["written"].`] : []),
  ];
}

const rangeOf = ({ start_seconds, end_seconds }: { start_seconds: number; end_seconds: number }) =>
  [start_seconds, end_seconds] as const;

/** Of the summary that was stored last. */
async function chapters({ hash_str }: Media, { client, cacheDir, callOptions }: Call) {
  const { short_summary, root } = await client.summaryOverview(
    { cache_dir: cacheDir, hash_str },
    callOptions,
  );
  return {
    head: [`Summary (a text about it, check what matters with look): ${oneLine(short_summary, 2000)}`],
    rows: root.children.map(
      ({ search_range: [start, end], text_preview }) =>
        `Part ${rangeText(start, end)}: ${oneLine(text_preview, 220)}`,
    ),
  };
}

// look: pictures of moments.

/** px; also of the service. */
const SMALLEST = 64;
/** Rounds of making pictures smaller. */
const MOST_ROUNDS = 3;

export const look = tool({
  name: 'look',
  title: 'Look at moments',
  description:
    'Shows pictures of up to 6 moments, in the given order. Any second of an analysed film can be looked at: write ' +
    'its hash@second, also of seconds that no search answered.',
  input: Type.Object({
    moments: described(
      Type.Array(MomentName, { minItems: 1, maxItems: 6 }),
      'Ids of moments (hash@second), at most 6.',
    ),
    width: defaulted(
      described(
        Type.Integer({ minimum: SMALLEST, maximum: 512 }),
        'Longest side of each picture in pixels (384; at most 512). Pictures are made smaller where they would not fit.',
      ),
      384,
    ),
  }),
  effect: 'none',
  run: async ({ moments, width }, call) => {
    const ids = moments.map((text, i) => parseMoment(text, `moments[${i}]`));
    const media = await mediaOfMoments(ids, 'moments', call);
    // By the hash: a file that was replaced since has other pictures than those that were found.
    const requests = ids.map(({ hash_str, seconds }, i) => {
      return { media_path: media[i]!.path, hash_str, time_seconds: seconds };
    });
    const { pictures, side } = await picturesOf(requests, width, call);
    const number = numbered(pictures);
    const rows = ids.map(({ seconds }, i) => {
      const what = `${oneLine(moments[i]!, 160)} ${fileName(media[i]!.path)} at ${timeText(seconds)}`;
      const nth = number[i];
      return nth
        ? `Picture ${nth}: ${what}`
        : `No picture: ${what} (sound, after the end, not readable, replaced by another file, or too large here)`;
    });
    const smaller =
      side < width ? [`The pictures are ${side} px so that all fit; ask for fewer to see them larger.`] : [];
    return { text: [...rows, ...smaller].join('\n'), pictures: pictures.filter((one) => one !== null) };
  },
});

/** As large as they fit into one answer. */
async function picturesOf(
  requests: ThumbnailsRequest['requests'],
  width: number,
  { client, cacheDir, callOptions }: Call,
): Promise<{ readonly pictures: (string | null)[]; readonly side: number }> {
  let side = width;
  for (let round = 1; ; round++) {
    const request = { cache_dir: cacheDir, requests: [...requests], max_size: side };
    const { thumbnails } = await client.thumbnails(request, callOptions);
    const all = requests.map((_, i) => thumbnails[i]?.thumbnail ?? null);
    const characters = all.reduce((sum, one) => sum + (one?.length ?? 0), 0);
    if (characters <= MOST_PICTURE_CHARACTERS || round === MOST_ROUNDS || side === SMALLEST)
      return { pictures: fitting(all), side };
    side = sideThatFits(side, characters, SMALLEST);
  }
}
