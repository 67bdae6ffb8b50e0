// `framehound transcribe PATH...`: makes and prints transcripts of films and sound files.
import type { TranscriptionJob } from '../../actors/analysis/stages/speech/kind.ts';
import { isStillName } from '../../actors/decoder/media-names.ts';
import { folders } from '../../settings.ts';
import { channelsArgument, languageArgument, preferenceArgument, speakersArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, exit, usageErrors } from '../context.ts';
import { findMedia } from '../find-media.ts';
import { analyze, tellEnd } from '../media-task.ts';
import { createProgressView, failureLine } from '../progress-view.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { allTranscripts, written } from './transcript.ts';

export const transcribe: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.transcribe, args);
  if (positionals.length === 0) throw usageErrors.USAGE('transcribe needs the path of a file or folder');
  const parameters = {
    language: languageArgument(values.language),
    channels: values.channels === undefined ? null : channelsArgument(values.channels),
    ...speakersArgument(values.speakers),
    preferred_x_model_key: preferenceArgument(values.with),
  };
  const { screen, signal, clock, out } = context;
  const cache_dir = folders(context.values).cache;
  const media = await findMedia(positionals, cache_dir, signal);
  for (const { error } of media.failures) screen.write(failureLine(error));
  // Stills in a folder are left out without a failure.
  const paths = media.files.filter((path) => !isStillName(path));
  if (paths.length === 0) {
    screen.write(`No film or sound was found in ${positionals.map(printable).join(', ')}\n`);
    return media.failures.length > 0 ? exit.someFailed : exit.error;
  }
  const transcription_jobs = paths.map((path): TranscriptionJob => ({ path, ...parameters }));
  const request = { cache_dir, transcription_jobs, force: values.force };
  return withService(context, Math.max(1, context.values.decoders), async (service) => {
    const view = createProgressView(screen, clock);
    const report = await analyze(service, request, view, context).finally(view.end);
    if (!values.quiet && !signal.aborted) {
      const failed = new Set(report.failures.map(({ path }) => path));
      const answer = await allTranscripts(service.client, cache_dir, paths);
      // An earlier transcript of a file that failed is no answer to this command.
      for (const path of paths) if (!failed.has(path)) out(written(path, answer, paths.length > 1));
    }
    return tellEnd(report, media.failures.length, screen);
  });
};
