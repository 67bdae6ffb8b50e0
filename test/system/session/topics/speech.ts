// Transcripts, and who speaks in them.
import type { Session } from '../session.ts';

export async function speech(s: Session): Promise<void> {
  const { places, people, talk } = s.media;
  await s.inFolder('/transcriptions', { media_paths: [places, people, talk] });
  await s.inFolder('/transcriptions', { media_paths: ['talk.wav'] });
  const range = { media_path: talk, start_seconds: 0, end_seconds: 60 };
  await s.inFolder('/transcriptions/range', { ...range, max_segments: 2 });
  await s.inFolder('/transcriptions/range', { ...range, after_segment_index: 1 });
  await s.inFolder('/transcriptions/range', { ...range, start_seconds: 3, end_seconds: 3.5 });
  await s.inFolder('/transcriptions/range', { ...range, media_path: people });
  await s.inFolder('/transcriptions/range', { ...range, max_segments: 501 });
  await s.inFolder('/transcriptions/range', { ...range, start_seconds: 60 });
  await s.inFolder('/transcriptions/range', { start_seconds: 0, end_seconds: 1 });
}

export async function speakers(s: Session): Promise<void> {
  const { talk, places } = s.media;
  const put = { method: 'PUT' };
  const { body } = await s.inFolder<{ hash_str: string }>('/transcriptions/range', {
    media_path: talk,
    start_seconds: 0,
    end_seconds: 1,
  });
  const { hash_str } = body;
  const named = [{ speaker: 'SPEAKER_01', name: 'Benjamin' }];
  await s.inFolder('/transcriptions/speakers', { hash_str, assignments: named }, put);
  await s.inFolder('/search/transcript', { query: 'e', speaker: 'benjamin' });
  await s.inFolder(
    '/transcriptions/speakers',
    { hash_str, assignments: [{ speaker: 'SPEAKER_09', name: 'X' }] },
    put,
  );
  await s.inFolder(
    '/transcriptions/speakers',
    { hash_str, assignments: [{ speaker: 'SPEAKER_01', name: null }] },
    put,
  );
  await s.inFolder('/speakers/suggest', { media_path: talk, speaker: 'SPEAKER_00' });
  await s.inFolder('/speakers/suggest', { media_path: places, speaker: 'SPEAKER_00' });
  const voices = ['SPEAKER_00', 'SPEAKER_01'].map((speaker) => ({ hash_str, speaker }));
  await s.inFolder('/speakers/confirm', { voices, same: true }, put);
  await s.inFolder('/speakers/undo');
}
