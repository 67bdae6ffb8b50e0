// One file that is being summarised: what is handed over, its outline, and which nodes are written.
import type { Turn } from '../../runtime/actor.ts';
import type { Reply, Request } from '../../runtime/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { type Checkpoint, createCheckpoint, inSteps } from '../../runtime/sync/checkpoint.ts';
import type { NewSummaryNode } from '../index/summaries/contract.ts';
import type { KnownConcepts } from './concepts/concepts.ts';
import type { OpenFilm, PlannedNode, SeenPerson, SpokenSegment, summarizerContract } from './contract.ts';
import { outlinedFilmSteps, type Sights } from './facts/film.ts';
import type { LanguageWriter, NodeMaterial } from './language/contract.ts';
import {
  type Hint,
  hintWeights,
  type Objective,
  objectiveOf,
  type Preset,
  presetWeights,
} from './objective.ts';
import { representativesOf } from './outline/looks.ts';
import type { OutlineNode } from './outline/outline.ts';
import { outlineErrors, type PersonFrames, type SummaryInputs } from './outline/summary-inputs.ts';
import { FilmTexts, type NodeStatements, newNode } from './statements/film-texts.ts';

type Contract = typeof summarizerContract;
type Write = Request<Contract, 'write'>['nodes'][number];

/** Work on the language model of the file, alone. Throws LANGUAGE_MODEL_LOST. */
export type WithWriter = <T>(work: (writer: LanguageWriter) => Promise<T>) => Promise<T>;

interface Written {
  readonly text: string;
  readonly failed: boolean;
}

export class SummarizedFilm {
  readonly film: OpenFilm;
  readonly #objective: Objective;
  readonly #intake: Intake;
  #texts: FilmTexts | null = null;
  /** Turns that outline it now. */
  #outlining = 0;
  readonly #written = new Map<string, Written>();
  readonly #warnings: string[] = [];

  constructor(film: OpenFilm) {
    this.film = film;
    this.#objective = objectiveAsked(film);
    this.#intake = new Intake(film);
    const { instructions, visual_model: model } = film;
    if (instructions && instructions.length !== model?.dimensions)
      throw misuse(
        `instructions: ${instructions.length} numbers for ${model?.dimensions ?? 'no'} dimensions`,
      );
  }

  /** Null after the file was outlined: then nothing can be added. */
  get intake(): Intake {
    if (this.#texts || this.#outlining > 0) throw misuse('The file is outlined: nothing can be added');
    return this.#intake;
  }

  async outline(
    concepts: KnownConcepts | null,
    mostPictures: number,
    checkpoint: Checkpoint,
  ): Promise<Reply<Contract, 'outline'>> {
    const { film } = await this.#outlinedNow(concepts, checkpoint);
    const nodes: PlannedNode[] = [];
    for (const node of inWritingOrder(film.outline.nodes)) {
      const isLeaf = node.child_ids.length === 0;
      const { pictures } = film.material;
      const looked = pictures && isLeaf && mostPictures > 0;
      const frames = looked ? representativesOf(pictures, node, mostPictures) : [];
      const stage = isLeaf ? 'generating_observations' : 'generating_summary';
      nodes.push({ node_id: node.node_id, stage, frames });
      if (looked) await checkpoint();
    }
    return { nodes, root_id: film.root.node_id };
  }

  async #outlinedNow(concepts: KnownConcepts | null, checkpoint: Checkpoint): Promise<FilmTexts> {
    const { film } = this;
    const steps = outlinedFilmSteps(this.#intake.material(), {
      kind: film.kind,
      // Sound that does not say its length has that of its grid.
      duration: film.duration_seconds || film.seconds,
      hasSound: film.has_sound,
      language: film.language,
      objective: this.#objective,
      instructions: film.objective.custom_instructions?.trim() ?? '',
      instructionsVector: film.instructions,
      concepts: concepts?.model_key === film.visual_model?.model_key ? concepts : null,
      sights: this.#intake.sights,
      named: this.#intake.named(),
    });
    this.#outlining++;
    try {
      if (!this.#texts) {
        const film = await inSteps(steps, checkpoint);
        // Another turn may have been faster: what is told of must stay one.
        this.#texts ??= new FilmTexts(film);
      }
    } finally {
      this.#outlining--;
    }
    return this.#texts;
  }

  takeUp(nodes: Request<Contract, 'take_up'>['nodes']): void {
    const { film } = this.#outlined();
    const unknown = nodes.find(({ node_id }) => !film.nodes.has(node_id));
    if (unknown) throw misuse(`The outline has no node "${unknown.node_id}"`);
    for (const { node_id, text, failed } of nodes) this.#written.set(node_id, { text, failed });
  }

  /** Nodes in the order in which they are given; those before a failure or a cancel are written. */
  async write(nodes: readonly Write[], turn: Turn, withWriter: WithWriter | null): Promise<NewSummaryNode[]> {
    const texts = this.#outlined();
    const checkpoint = createCheckpoint(turn);
    const written: NewSummaryNode[] = [];
    for (const film of nodes) {
      await checkpoint();
      const node = texts.film.nodes.get(film.node_id);
      if (!node) throw misuse(`The outline has no node "${film.node_id}"`);
      const missing = node.child_ids.find((id) => !this.#written.has(id));
      if (missing !== undefined) throw misuse(`"${missing}", a child of "${node.node_id}", is not written`);
      await texts.read(node, checkpoint);
      const template = texts.statementsOf(node);
      const nodeText = withWriter
        ? await withWriter((writer) => this.#byModel(template, film, writer, turn))
        : newNode(template);
      this.#written.set(node.node_id, { text: nodeText.text, failed: nodeText.failed });
      written.push(nodeText);
    }
    return written;
  }

  async #byModel(
    texts: NodeStatements,
    { pictures }: Write,
    writer: LanguageWriter,
    turn: Turn,
  ): Promise<NewSummaryNode> {
    const nodeText = await writer.node(this.#materialOf(texts, pictures), turn.signal, () => turn.alive());
    const { text, verification_hints, failed, warnings } = nodeText;
    for (const warning of warnings) this.#warnings.push(`${texts.node.node_id}: ${warning}`);
    return newNode(texts, { text: failed ? texts.text : text, hints: verification_hints, failed });
  }

  #materialOf({ node, text }: NodeStatements, pictures: Write['pictures']): NodeMaterial {
    const texts = this.#outlined();
    const { node_id, start, end, child_ids } = node;
    const { objective, language } = this.film;
    return {
      node_id,
      range: [start, end],
      is_leaf: child_ids.length === 0,
      evidence: texts.evidence(node),
      pictures: child_ids.length === 0 ? pictures : [],
      children: child_ids.map((id) => {
        const { start, end } = texts.film.nodes.get(id)!;
        return { node_id: id, range: [start, end], text: this.#written.get(id)!.text };
      }),
      template_text: text,
      objective,
      language,
    };
  }

  async conclude(
    given: readonly string[],
    turn: Turn,
    withWriter: WithWriter | null,
  ): Promise<Reply<Contract, 'conclude'>> {
    const texts = this.#outlined();
    const { root, outline } = texts.film;
    const missing = outline.nodes.find(({ node_id }) => !this.#written.has(node_id));
    if (missing) throw misuse(`Node "${missing.node_id}" is not written`);
    await texts.read(root, createCheckpoint(turn));
    const template = texts.whole();
    // The writer may improve the root, which has its template's text so far.
    const template_text = this.#written.get(root.node_id)!.text;
    const whole = withWriter
      ? await withWriter((writer) => {
          const material = { ...this.#materialOf(texts.statementsOf(root), []), template_text };
          return writer.whole(material, turn.signal, () => turn.alive());
        })
      : template;
    const failed = [...this.#written].filter(([, node]) => node.failed).map(([id]) => id);
    const warnings = [
      ...(whole
        ? []
        : [
            'The short summary was written from templates, because the language model produced nothing usable.',
          ]),
      ...this.#warnings,
    ];
    return { ...(whole ?? template), quality: texts.quality(failed, warnings, given) };
  }

  #outlined(): FilmTexts {
    if (!this.#texts) throw misuse('The file is not outlined yet');
    return this.#texts;
  }
}

function objectiveAsked({ objective: { preset, priority_hints: hints } }: OpenFilm): Objective {
  if (!Object.hasOwn(presetWeights, preset)) throw misuse(`preset: "${preset}" is unknown`);
  const unknown = hints.find((hint) => !Object.hasOwn(hintWeights, hint));
  if (unknown !== undefined) throw misuse(`priority_hints: "${unknown}" is unknown`);
  return objectiveOf(preset as Preset, hints as Hint[]);
}

/** Leaves in the order of time, then the nodes above them, the lowest first, the root last. */
function inWritingOrder(nodes: readonly OutlineNode[]): OutlineNode[] {
  const isLeaf = ({ child_ids }: OutlineNode) => child_ids.length === 0;
  const leaves = nodes.filter(isLeaf).sort((a, b) => a.start - b.start);
  const others = nodes.filter((node) => !isLeaf(node));
  return [...leaves, ...others.sort((a, b) => b.level - a.level || a.start - b.start)];
}

// Stored facts of one file, checked as they arrive and kept until the file is outlined.

/**
 * Vectors lie in one piece of memory for the whole grid, asked for with the first of them: seconds ·
 * dimensions · 4 bytes, 166 MB for ten hours of 1152.
 */
class Intake {
  readonly #film: Pick<OpenFilm, 'seconds' | 'visual_model'>;
  #vectors = new Float32Array(0);
  readonly #frames: number[] = [];
  readonly #cuts: number[] = [];
  #segments: SpokenSegment[] | null = null;
  #sights: Sights = { things: [], lines: [] };
  readonly #people: { readonly person: SeenPerson; readonly appearance: PersonFrames }[] = [];

  constructor(film: Pick<OpenFilm, 'seconds' | 'visual_model'>) {
    this.#film = film;
  }

  /** Answers how many frames there are now. Throws MATERIAL_INVALID, and then nothing is added. */
  addVectors(frames: Int32Array, vectors: Float32Array, cuts: Int32Array): number {
    const { seconds, visual_model: model } = this.#film;
    if (!model)
      throw outlineErrors.MATERIAL_INVALID('vectors of a file that was opened without a visual model');
    const d = model.dimensions;
    if (vectors.length !== frames.length * d)
      throw outlineErrors.MATERIAL_INVALID(
        `vectors: ${vectors.length} numbers for ${frames.length} frames of ${d} dimensions`,
      );
    const frameNumbers = new Set(frames);
    const unknown = cuts.find((cut) => !frameNumbers.has(cut));
    if (unknown !== undefined) throw outlineErrors.MATERIAL_INVALID(`cuts: ${unknown} is none of the frames`);
    let before = this.#frames.at(-1) ?? -1;
    for (const frame of frames) {
      if (frame <= before || frame >= seconds)
        throw outlineErrors.MATERIAL_INVALID(`frames: ${frame} behind ${before}, of ${seconds}`);
      before = frame;
    }
    // One number that is none makes the sum none.
    if (!Number.isFinite(vectors.reduce((sum, value) => sum + value, 0)))
      throw outlineErrors.MATERIAL_INVALID('vectors: not all numbers are finite');
    if (this.#vectors.length === 0) this.#vectors = new Float32Array(seconds * d);
    this.#vectors.set(vectors, this.#frames.length * d);
    for (const frame of frames) this.#frames.push(frame);
    for (const cut of cuts) this.#cuts.push(cut);
    return this.#frames.length;
  }

  /** Throws MATERIAL_INVALID, and then nothing is added. */
  addWords(segments: readonly SpokenSegment[]): void {
    const all = this.#segments ?? [];
    let before = all.at(-1)?.start_seconds ?? 0;
    for (const { start_seconds: start, end_seconds: end } of segments) {
      if (!(start >= before && end >= start && Number.isFinite(end)))
        throw outlineErrors.MATERIAL_INVALID(`segments: from ${start} to ${end} behind one at ${before}`);
      before = start;
    }
    for (const segment of segments) all.push(segment);
    this.#segments = all;
  }

  /** Throws MATERIAL_INVALID, and then nobody is added. */
  addPeople(people: readonly SeenPerson[]): void {
    const checked = people.map((person) => ({ person, appearance: this.#appearance(person) }));
    this.#people.push(...checked);
  }

  #appearance({ person, ranges }: SeenPerson): PersonFrames {
    const frames: number[] = [];
    for (const [start, end] of ranges) {
      if (start >= end || start < (frames.at(-1) ?? -1) + 1 || end > this.#film.seconds)
        throw outlineErrors.MATERIAL_INVALID(
          `people: ${person} from ${start} to ${end}, of ${this.#film.seconds}`,
        );
      for (let frame = start; frame < end; frame++) frames.push(frame);
    }
    return { person, frames: Int32Array.from(frames) };
  }

  /** Throws MATERIAL_INVALID, and then nothing is added. */
  addSights(sights: Sights): void {
    for (const { start, end, best } of [...sights.things, ...sights.lines]) {
      if (!(start <= best && best < end && end <= this.#film.seconds))
        throw outlineErrors.MATERIAL_INVALID(
          `sights: from ${start} to ${end}, best at ${best}, of ${this.#film.seconds}`,
        );
    }
    this.#sights = sights;
  }

  get sights(): Sights {
    return this.#sights;
  }

  /** All there is. *Borrowed.* */
  material(): SummaryInputs {
    const { seconds, visual_model: model } = this.#film;
    const rows = this.#frames.length;
    const vectors = model && this.#vectors.subarray(0, rows * model.dimensions);
    return {
      seconds,
      pictures:
        model && vectors
          ? { vectors, dimensions: model.dimensions, frames: this.#frames, cuts: this.#cuts }
          : null,
      segments: this.#segments,
      people: this.#people.map(({ appearance }) => appearance),
    };
  }

  named(): ReadonlySet<string> {
    const named = this.#people.filter(({ person }) => person.is_named);
    return new Set(named.map(({ person }) => person.person));
  }
}

/** A request that does not fit to what was asked before. */
function misuse(message: string) {
  return engineErrors.INVALID_MESSAGE(message);
}
