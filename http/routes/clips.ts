// Clips of films and sound, as files for editing programs.
import { isAbsolute } from 'node:path';
import { Type } from 'typebox';
import { type ClipMode, clipModes } from '../../actors/decoder/clips/contract.ts';
import { ClipsAnswer, mostClips } from '../../actors/exporter/clips/contract.ts';
import { createFolders } from '../../actors/exporter/contract.ts';
import { defaulted, described } from '../../runtime/schema.ts';
import { AcceptedTask, accepted } from '../request/accepted.ts';
import { AbsolutePath, absolute } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const Clip = Type.Object({
  media_path: described(
    Type.String({ maxLength: 32_768 }),
    'Absolute path on the machine of the service; a clip of another path fails.',
  ),
  start_seconds: described(Type.Number(), 'Seconds from the start of the file.'),
  end_seconds: described(
    Type.Number(),
    'The clip ends before it. An end after that of the file is the end of the file.',
  ),
  output_name: Type.Optional(
    described(
      Type.String({ minLength: 1, maxLength: 1000 }),
      'Name of the file to write; made from that of the source and the times when left out.',
    ),
  ),
});

export const exportClips = route({
  method: 'POST',
  path: '/api/v1/export/clips',
  id: 'exportClips',
  tag: 'Export',
  summary: 'Clips of films and sound as files',
  description:
    'Cuts clips and writes them into `output_dir`. Answers 200 when all of them are done, with a result for each in the order ' +
    'of the request: what fails has its reason in `error`, and the others go on. `precise` begins and ends at the borders of ' +
    'pictures that are nearest to start and end, half up, so clips that meet share no picture; pictures are encoded anew as ' +
    'H.264 and sound as AAC, in mp4 ' +
    '(sound alone in m4a), with the times, rotation, pixel aspect, bit depth and colours of the source. `smart` has the same ' +
    'pictures at the same times and encodes only those of groups that a cut falls into: of H.264, 8 bit, 4:2:0, progressive, ' +
    'with closed groups between the cuts. Every such clip is read again before it gets its name; where it cannot be made, ' +
    'the clip is precise, with `mode_used` and the reason in `mode_reason`. `copy` takes the ' +
    'packets as they are, in a container like that of the source, from the keyframe before the start; ' +
    '`start_seconds_actual` and `end_seconds_actual` say where a clip really begins and ends. A name that is taken gets `-2`, ' +
    '`-3` and so on, nothing is ever written over. When the client goes, the clips that are complete stay, and nothing is ' +
    'left of the others. With `task` the clips are a task, one at a time beside an analysis that runs: GET /tasks/{task_id} has a ' +
    'result for each clip, with `clip.output_path` or the reason in `error`; POST /tasks/{task_id}/cancel stops it, and ' +
    'POST /tasks/{task_id}/resume cuts the clips that are missing. While another export, or a proxy, is a task, this one waits ' +
    'its turn, as `queued`; the same clips asked for again meanwhile are the same task, and 503 is the answer when 100 wait.',
  body: Type.Object({
    output_dir: described(
      AbsolutePath,
      'Absolute path of the folder to write into; it is made when it is not there.',
    ),
    ...createFolders,
    clips: described(Type.Array(Clip, { maxItems: mostClips }), 'What to cut.'),
    mode: Type.Unsafe<ClipMode>({
      type: 'string',
      enum: [...clipModes],
      default: 'precise',
      description:
        '`precise`: exact to the picture. `smart`: as exact and faster, `precise` where it cannot be. ' +
        '`copy`: fast and without loss, from the keyframe before.',
    }),
    task: defaulted(
      described(
        Type.Boolean(),
        'Answers 202 with the id of a task at once, which goes on when the client goes.',
      ),
      false,
    ),
  }),
  answers: {
    200: ClipsAnswer,
    202: Type.Object(AcceptedTask),
    400: ErrorBody,
    503: ErrorBody,
  },
  handle: async ({ body, signal }, { clips: exporter, tasks }) => {
    const output_dir = absolute('output_dir', body.output_dir);
    const { mode, create_folders } = body;
    const clips = body.clips.map((clip, i) => ({ ...clip, media_path: plain(clip.media_path, i) }));
    const request = { output_dir, create_folders, clips, mode };
    if (!body.task) return reply(200, await exporter.export(request, signal));
    const task = await tasks.begin('clips', request, { signal });
    return reply(202, accepted(task, 'Export started', 'The export waits its turn'));
  },
});

/** A clip of a path that is not absolute fails by itself, and the others go on. */
function plain(path: string, i: number): string {
  return isAbsolute(path) && !path.includes('\0') ? absolute(`clips[${i}].media_path`, path) : path;
}

export const clipRoutes: readonly Route[] = [exportClips];
