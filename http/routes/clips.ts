// Clips of films and sound, as files for editing programs.
import { isAbsolute } from 'node:path';
import { Type } from 'typebox';
import { type ClipSpec, ClipsAnswer, ClipsRequest } from '../../actors/exporter/clips/contract.ts';
import { absolute } from '../../runtime/paths.ts';
import { defaulted, described } from '../../runtime/schema.ts';
import { AcceptedTask, accepted } from '../request/accepted.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

export const exportClips = route({
  method: 'POST',
  path: '/api/v1/export/clips',
  id: 'exportClips',
  tag: 'Export',
  summary: 'Export clips of films and sound',
  description:
    'Cuts clips and writes them to `output_dir`. Returns 200 when all clips are done, with a result for ' +
    'each clip in the order of the request. A clip that fails has the reason in `error`, and the other ' +
    'clips continue. `precise` cuts at the picture boundaries nearest to start and end (halves are ' +
    'rounded up), so adjacent clips share no picture. Pictures are re-encoded as H.264 and sound as AAC, ' +
    'in mp4 (sound alone in m4a), with the times, rotation, pixel aspect, bit depth and colours of the ' +
    'source. `smart` produces the same pictures at the same times, but re-encodes only the groups of ' +
    'pictures that contain a cut. It supports progressive H.264 with 8 bits and 4:2:0, with closed ' +
    'groups between the cuts. Every such clip is verified before it gets its name; if it cannot be made, ' +
    'the clip is precise, with `mode_used` and the reason in `mode_reason`. `copy` copies the packets ' +
    'unchanged into a container like that of the source, starting at the keyframe before the start; ' +
    '`start_seconds_actual` and `end_seconds_actual` say where the clip really starts and ends. Existing ' +
    'files are never overwritten: if a name is taken, the new file gets `-2`, `-3` and so on. If the ' +
    'client disconnects, complete clips are kept and incomplete ones are deleted. With `task` set, the ' +
    'export becomes a task that can run beside an analysis: GET /tasks/{task_id} has a result for each ' +
    'clip, with `clip.output_path` or the reason in `error`; POST /tasks/{task_id}/cancel stops it, and ' +
    'POST /tasks/{task_id}/resume cuts the missing clips. While another export or a proxy is running as ' +
    'a task, this task is `queued`. Repeating the request meanwhile returns the same task. Returns 503 ' +
    'if 100 tasks are queued.',
  body: Type.Object({
    ...ClipsRequest.properties,
    task: defaulted(
      described(
        Type.Boolean(),
        'Return 202 with the id of a task immediately. The task continues if the client disconnects.',
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
    const { task: isTask, ...asked } = body;
    const request = { ...asked, clips: asked.clips.map(plain) };
    if (!isTask) return reply(200, await exporter.export(request, signal));
    const task = await tasks.begin('clips', request, { signal });
    return reply(202, accepted(task, 'Export started', 'The export is queued'));
  },
});

/** A clip of a path that is not absolute fails by itself, and the others go on. */
function plain(clip: ClipSpec, i: number): ClipSpec {
  const { media_path } = clip;
  if (!isAbsolute(media_path) || media_path.includes('\0')) return clip;
  return { ...clip, media_path: absolute(`clips[${i}].media_path`, media_path) };
}

export const clipRoutes: readonly Route[] = [exportClips];
