// A search for nothing, with what the command line takes for the rest.
import type { Question } from '../../cli/arguments.ts';

export const plainQuestion: Question = {
  query: null,
  image: null,
  frame: null,
  exclude: [],
  media: [],
  max: 10,
  perFilm: null,
  textWeight: 1,
  people: [],
  anyPerson: false,
  clusterJob: null,
  filters: [],
  previews: true,
};
