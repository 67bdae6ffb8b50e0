// Whether the model.json of a user's folder is a row, and which field is wrong where it is not.
import { Compile } from 'typebox/compile';
import { faceFamilies, isFaceKind, isModelWord } from './advice.ts';
import { ModelRow, mostPictureBytes, type RegistryProblem, type VisualSide } from './contract.ts';
import { isNpmFile } from './model-file.ts';
import { builtInRows } from './rows/list.ts';

const checker = Compile(ModelRow);

type Wrong = Omit<RegistryProblem, 'file'>;

/** Checks the text of a user's model.json; `name` is the folder's. Names the first wrong field. */
export function checkUserRow(
  file: string,
  name: string,
  text: string,
): { row: ModelRow } | { problem: RegistryProblem } {
  const wrong = (field: string, message: string) => ({ problem: { file, field, message } });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return wrong('', `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!checker.Check(value)) {
    const [first] = checker.Errors(value);
    return wrong(first?.instancePath ?? '', first?.message ?? 'has the wrong format');
  }
  const found = wrongKey(value, name) ?? wrongSide(value) ?? wrongFiles(value) ?? wrongPlda(value);
  return found ? wrong(found.field, found.message) : { row: value };
}

function wrongKey({ key }: ModelRow, name: string): Wrong | null {
  const wrong = (message: string) => ({ field: '/key', message });
  if (builtInRows.some((row) => row.key === key)) {
    return wrong(`${key} is the key of a built-in model; choose another key`);
  }
  if (isModelWord(key)) return wrong(`${key} is a group of models in "models pull"; choose another key`);
  return key === name ? null : wrong(`${key} is not the name of its folder, ${name}`);
}

/** The field of a row that a model of its kind has to have. */
const sides = {
  visual: 'visual',
  speech: 'speech',
  speaker: 'speaker',
  'face-detector': 'detector',
  'face-embedder': 'embedder',
  summary: 'summary',
} as const;

function wrongSide(row: ModelRow): Wrong | null {
  const side = Object.entries(sides).find(([kind]) => kind === row.kind)?.[1];
  if (side && !row[side]) return { field: `/${side}`, message: `is missing for a ${row.kind} model` };
  if (row.visual) return wrongPicture(row.visual);
  if (row.summary) return wrongSummary(row);
  if (!isFaceKind(row.kind)) return null;
  const families: readonly string[] = faceFamilies[row.kind];
  if (!families.includes(row.family)) {
    const message = `"${row.family}" is not a family of ${row.kind} models; use one of ${families.join(', ')}`;
    return { field: '/family', message };
  }
  return row.kind === 'face-detector' ? wrongDetector(row) : wrongCentre(row);
}

/** What each family of language models asks of the pictures of its rows. */
const summaryFamilies: ReadonlyMap<string, number> = new Map([
  ['qwen3vl', 32],
  ['smolvlm', 1],
]);

function wrongSummary({ family, frame_resolution: side, summary }: ModelRow): Wrong | null {
  const multiple = summaryFamilies.get(family);
  if (multiple === undefined) {
    const known = [...summaryFamilies.keys()].join(', ');
    return {
      field: '/family',
      message: `"${family}" is not a family of summary models; use one of ${known}`,
    };
  }
  if (side < 32 || side > 2048 || side % multiple !== 0) {
    const message = `${side} is not a ${multiple > 1 ? `multiple of ${multiple}` : 'valid side of a picture'} from 32 to 2048`;
    return { field: '/frame_resolution', message };
  }
  const { answer, context } = summary!;
  if (2 * answer <= context) return null;
  return {
    field: '/summary/answer',
    message: `${answer} leaves no room for a prompt in a context of ${context}`,
  };
}

function wrongPicture({ shape: { width, height } }: VisualSide): Wrong | null {
  if (width * height * 3 <= mostPictureBytes) return null;
  const most = Math.sqrt(mostPictureBytes / 3);
  const message = `${width}×${height} is larger than the limit of ${most}×${most} pixels`;
  return { field: '/visual/shape', message };
}

/** Both families of detectors look at cells of 8, 16 and 32 px. */
const coarsest = 32;

function wrongDetector({ detector }: ModelRow): Wrong | null {
  const { fixed_side, multiple, least_face, most_face } = detector!;
  if (multiple % coarsest !== 0) {
    const message = `${multiple} is not a multiple of ${coarsest}, the step of the coarsest grid of its family`;
    return { field: '/detector/multiple', message };
  }
  if (fixed_side !== null && fixed_side % multiple !== 0) {
    return { field: '/detector/fixed_side', message: `${fixed_side} is not a multiple of ${multiple}` };
  }
  if (most_face >= least_face) return null;
  return { field: '/detector/most_face', message: `${most_face} is less than least_face, ${least_face}` };
}

function wrongCentre({ embedder }: ModelRow): Wrong | null {
  const { centre, dimensions } = embedder!;
  if (centre === undefined || centre.length === dimensions) return null;
  return { field: '/embedder/centre', message: `has ${centre.length} values, not ${dimensions}` };
}

function wrongFiles({ kind, files }: ModelRow): Wrong | null {
  const wrong = (message: string) => ({ field: '/files', message });
  const twice = files.find((one, at) =>
    files.some((other, before) => before < at && (other.role === one.role || other.name === one.name)),
  );
  if (twice) return wrong(`names ${twice.role} (${twice.name}) twice`);
  const unclear = files
    .filter(isNpmFile)
    .find(
      ({ url, size, sha256, npm }) =>
        url !== null || size === null || sha256 === null || (npm.paths.length > 1 && !npm.convert),
    );
  if (unclear)
    return wrong(
      `${unclear.name} of a package needs size, sha256 and no url, and several paths a conversion`,
    );
  return isFaceKind(kind) && !files.some(({ role }) => role === 'graph')
    ? wrong('lists no file with the role "graph"')
    : null;
}

/** A PLDA and how it is used are nothing without each other. */
function wrongPlda({ speaker, files }: ModelRow): Wrong | null {
  const hasFile = files.some(({ role }) => role === 'plda');
  if (!speaker || hasFile === (speaker.evidence !== undefined)) return null;
  return hasFile
    ? { field: '/speaker/evidence', message: 'is required for a model that has a file with the role "plda"' }
    : { field: '/files', message: 'lists no file with the role "plda", which /speaker/evidence needs' };
}
