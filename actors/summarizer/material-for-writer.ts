// What a language model is handed of a node.
import type { OpenFilm } from './contract.ts';
import type { NodeMaterial } from './language/contract.ts';
import type { FilmTexts, NodeStatements } from './statements/film-texts.ts';

export interface WriterInput {
  readonly film: OpenFilm;
  readonly pictures: readonly { readonly frame_idx: number; readonly jpeg: Uint8Array }[];
  /** Texts of nodes that are written. */
  textOf(node_id: string): string;
}

export function materialOf(
  told: FilmTexts,
  { node, text }: NodeStatements,
  given: WriterInput,
): NodeMaterial {
  const { film, pictures } = given;
  const isLeaf = node.child_ids.length === 0;
  return {
    node_id: node.node_id,
    range: [node.start, node.end],
    is_leaf: isLeaf,
    evidence: told.evidence(node),
    pictures: isLeaf ? pictures : [],
    children: node.child_ids.map((id) => {
      const { start, end } = told.film.nodes.get(id)!;
      return { node_id: id, range: [start, end], text: given.textOf(id) };
    }),
    template_text: text,
    objective: film.objective,
    language: film.language,
  };
}

/** Of the root with the text that it has. */
export function wholeMaterialOf(told: FilmTexts, root: NodeStatements, given: WriterInput): NodeMaterial {
  return { ...materialOf(told, root, given), template_text: given.textOf(root.node.node_id) };
}
