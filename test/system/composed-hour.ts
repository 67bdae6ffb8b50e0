// An hour of our own drawn scenes with subtitles, in chapters that are known: a film as a stranger would
// bring it.
import { writeFilm } from '../../bench/samples/writer/film.ts';
import { kept } from '../actors/decoder/footage/clip.ts';
import { type DrawnPlan, planOf } from '../actors/summarizer/outline/drawn.ts';
import { seeded } from '../seeded.ts';

/** As subjects follow each other; each chapter lasts five minutes. */
const subjects = [
  ['sea', 'road', 'wood', 'fire', 'garden', 'snow'],
  ['studio', 'sea', 'snow', 'road', 'garden', 'wood'],
].flat();
const chapterSeconds = 300;
const [width, height] = [224, 126];

export const hour: DrawnPlan = planOf(subjects.map((name, i) => [name, shotsOf(i)]));

/** Shots of 6 to 30 s that fill a chapter. */
function shotsOf(seed: number): number[] {
  const random = seeded(seed + 1);
  const shots: number[] = [];
  for (let left = chapterSeconds; left > 0; left -= shots.at(-1)!) {
    const shot = 6 + Math.floor(25 * random());
    shots.push(left - shot < 6 ? left : shot);
  }
  return shots;
}

/** Path of the film: a picture a second, subtitles in the file. */
export function composedHour(): Promise<string> {
  return kept('composed-hour.mp4', (path) => {
    const pictures = hour.pictures(width, height);
    const cues = hour.segments.map(({ start_seconds, end_seconds, text }) => ({
      startSeconds: start_seconds,
      endSeconds: end_seconds,
      text: text.trim(),
    }));
    return writeFilm({
      path,
      picture: {
        width,
        height,
        frames: hour.seconds,
        frameRate: { num: 1, den: 1 },
        encoder: 'libx264',
        options: { preset: 'veryfast', crf: '20', g: '10' },
        draw: (_, rgb) => rgb.set(pictures.next().value!.rgb),
      },
      captions: { codec: 'mov_text', language: 'eng', cues },
    });
  });
}
