// Loads what is stored, and searches its pictures.

import { existsSync } from 'node:fs';
import { storeErrors } from '../actors/index/store/contract.ts';
import type { SearchAnswer } from '../actors/search/contract.ts';
import { isOf } from '../http/client/error.ts';
import type { Context } from './context.ts';
import { peopleFields, type Question } from './question.ts';
import { type Service, useModel } from './service.ts';

export async function searchFootage(
  service: Service,
  question: Question,
  cache_dir: string,
  context: Context,
): Promise<SearchAnswer> {
  const { client } = service;
  await useModel(service, context);
  const loaded = await client.loadAnalysisData({ cache_dir }).catch((error) => {
    throw isOf(storeErrors.STORE_UNAVAILABLE, error) ? analyseFirst(error.message) : error;
  });
  if (loaded.media === 0) {
    const { visual } = await client.loadedModels();
    writeNothingAnalysed(context.screen, visual.model_key ?? '', cache_dir);
  }
  const { image, frame, query, previews } = question;
  const common = {
    cache_dir,
    media_paths: question.media,
    max_results: question.max,
    ...(question.perFilm !== null && { max_per_media: question.perFilm }),
    exclude: question.exclude,
    text_weight: question.textWeight,
    explain: true,
    query: query ?? undefined,
    ...peopleFields(question),
  };
  const answer = image
    ? await client.searchImage({ ...common, image_path: image })
    : frame
      ? await client.searchFrame({ ...common, media_path: frame.path, time_seconds: frame.seconds })
      : await client.searchText({ ...common, query: query ?? '' });
  if (previews) return answer;
  return { ...answer, matches: answer.matches.map(({ image: _, ...match }) => match) };
}

// What a search says where nothing is analysed.

/** A folder that is not there is an error: most likely another one is meant. */
function writeNothingAnalysed(screen: Context['screen'], model: string, folder: string): void {
  if (!existsSync(folder)) {
    throw analyseFirst(`The analysis folder ${folder} does not exist`);
  }
  screen.write(
    `Nothing has been analysed with ${model} in ${folder}. To analyse footage: framehound analyze PATH\n`,
  );
}

/** The folder cannot be searched, and what to do first. */
function analyseFirst(reason: string): Error {
  return storeErrors.STORE_UNAVAILABLE(`${reason}. Analyse something first: framehound analyze PATH`);
}
