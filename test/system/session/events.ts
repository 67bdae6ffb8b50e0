// What does not depend on time in the events of a task: how many there are does, and what the last one before
// the end tells.
import type { ProgressEvent } from '../../../events/protocol.ts';

/** Fields that are there only when an event is sent while there is something to tell. */
const fleeting = new Set(['estimated_remaining_seconds', 'warning']);

export function eventsOf(events: readonly ProgressEvent[]) {
  const progress = events.map((event) => Number(event.progress));
  const ended = events.flatMap(({ ended_files = [], type }) =>
    ended_files.map(({ video_path, outcome }) => `${type} ${outcome} ${video_path}`),
  );
  return {
    falls: progress.some((value, at) => at > 0 && value < progress[at - 1]!),
    ended_files: ended.sort(),
    warnings: [...new Set(events.flatMap(({ warning }) => warning ?? []))].sort(),
    failed: events.filter(({ error, done }) => error !== undefined && !done).map(withoutAmounts),
    clusterings: events
      .filter(({ cluster_media_hashes }) => cluster_media_hashes !== undefined)
      .map(withoutAmounts),
    last: lastOf(events.at(-1)!),
  };
}

/** Counts of the whole task move on beside the event. */
const amounts =
  /^(progress|files|files_done|jobs|jobs_done|surveyed|.*_seconds|.*_frames.*|frames.*|.*_progress|.*_done)$/;

function withoutAmounts(event: ProgressEvent) {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !amounts.test(name)));
}

function lastOf(event: ProgressEvent) {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !fleeting.has(name)));
}
