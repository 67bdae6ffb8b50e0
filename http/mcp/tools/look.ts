// look: pictures of moments.
import { Type } from 'typebox';
import type { ThumbnailsRequest } from '../../../actors/search/thumbnails/contract.ts';
import { defaulted, described } from '../../../runtime/schema.ts';
import { MomentName } from '../arguments.ts';
import { mediaOfMoments, parseMoment } from '../media.ts';
import { fitting, MOST_PICTURE_CHARACTERS, numbered, sideThatFits } from '../pictures.ts';
import { fileName, oneLine, timeText } from '../text.ts';
import { type Call, tool } from '../tool.ts';

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
