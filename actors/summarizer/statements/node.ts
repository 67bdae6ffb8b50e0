// The text of a node as statements with their evidence: of a leaf what is known of it, of others what lasts,
// what stands out of their parts, and the best of what is said.
import type { Facts, FactsOf } from '../facts/facts.ts';
import type { OutlinedFilm } from '../facts/film.ts';
import { scoredSentences } from '../facts/leaf.ts';
import type { OutlineNode } from '../outline/outline.ts';
import { fewestNodes, lookStatements, pictureLooks, shotStatements } from './looks.ts';
import { partStatements } from './parts.ts';
import { goingOn, newcomers, peopleSeen, speaking, speakingLong } from './people.ts';
import { type Plan, planOf, type Section } from './plan.ts';
import { seenInLeaf, seenInNode } from './seen.ts';
import { figures, quoted, recurringWords } from './speech.ts';
import { fitting, type Statement } from './statement.ts';
import { extentOf } from './whole.ts';
import { writtenIn } from './written.ts';

/** UTF-16 units of a text at most. */
export const longestTexts = { leaf: 600, node: 1200, root: 2000 };
/** Of the words of a quote. */
const longestQuotes = { leaf: 140, node: 160, root: 200 };

/** `factsOf`: of the node and of its children. */
export function statementsOf(film: OutlinedFilm, node: OutlineNode, factsOf: FactsOf): Statement[] {
  const plan = planOf(film.objective);
  const kind = node.parent_id === null ? 'root' : node.child_ids.length === 0 ? 'leaf' : 'node';
  const facts = factsOf(node.node_id);
  const result: Record<Section, Statement[]> = {
    seen: seenSection(film, node, facts, plan),
    people: [peopleSeen(facts, kind === 'leaf'), newcomers(film, facts, plan)].filter((own) => own !== null),
    speech: speechSection(film, facts, plan, kind),
  };
  const parts = node.child_ids.length > 0 ? partStatements(film, node, factsOf, plan) : [];
  const sections = plan.sections.flatMap((section) => result[section]);
  const content = [...sections, ...parts];
  // Where nothing was recognised, a part is compared with the others.
  const form = content.length > 0 ? [] : formOf(film, node, facts);
  const extent = kind === 'root' ? [extentOf(film)] : [];
  // Of a part it is enough to tell its form: what is so throughout the file is told of the whole.
  const isTold = content.some((own) => own.kind !== 'looks') || (kind !== 'root' && form.length > 0);
  const missing = absences(film, node, facts, isTold);
  const all = [...extent, ...content, ...form, ...missing];
  const rest = all.length > 0 ? all : [goingOn(film, facts)].filter((own) => own !== null);
  return fitting(rest, longestTexts[kind]);
}

function seenSection(film: OutlinedFilm, node: OutlineNode, facts: Facts, plan: Plan): Statement[] {
  const isLeaf = node.child_ids.length === 0;
  // The whole shows more than a part of it.
  const amount = { things: plan.things + (node.parent_id === null && !isLeaf ? 2 : 0), conditions: 2 };
  const seen = isLeaf ? seenInLeaf(facts, amount) : seenInNode(facts, amount);
  const written = writtenIn(facts.lines, isLeaf ? 3 : 5, film.kind !== 'image');
  const isPart = node.parent_id !== null && film.outline.nodes.length >= fewestNodes;
  return [
    ...(seen ? [seen] : []),
    ...(written ? [written] : []),
    ...(plan.countsShots ? shotStatements(film, facts) : []),
    ...(isPart ? lookStatements(film.looks.get(node.node_id)!, facts, plan.looks) : []),
  ];
}

/** How a part is against others. Of a still and of a whole there is nothing to compare. */
function formOf(film: OutlinedFilm, node: OutlineNode, facts: Facts): Statement[] {
  if (film.kind === 'image') return [];
  const isPart = node.parent_id !== null && film.outline.nodes.length >= fewestNodes;
  return isPart ? lookStatements(film.looks.get(node.node_id)!, facts, pictureLooks) : [];
}

function speechSection(
  film: OutlinedFilm,
  facts: Facts,
  plan: Plan,
  kind: keyof typeof longestTexts,
): Statement[] {
  const count = kind === 'leaf' ? plan.quotes : plan.quotes + (kind === 'root' ? 3 : 1);
  const scored = scoredSentences(film, facts.sentences, count);
  const byWorth = scored.toSorted((a, b) => b.score - a.score || a.sentence - b.sentence);
  const quotes = (plan.bestFirst ? byWorth : scored).map((own) =>
    quoted(film, own.sentence, longestQuotes[kind], 3 + 2 * byWorth.indexOf(own)),
  );
  const inQuotes = new Set(scored.map(({ sentence }) => sentence));
  // In a quote it is told who speaks.
  const speakers = kind === 'leaf' ? speaking(facts) : speakingLong(facts, kind === 'root');
  const isTold = kind !== 'root' && facts.speakers.length === 1 && quotes.length > 0;
  return [
    isTold ? null : speakers,
    kind === 'leaf' ? null : recurringWords(film, facts, 5),
    ...quotes,
    figures(film, facts, inQuotes, kind === 'leaf' ? 3 : 5),
  ].filter((own) => own !== null);
}

function absences(
  { material, segments, kind }: OutlinedFilm,
  { parent_id }: OutlineNode,
  facts: Facts,
  isSomethingTold: boolean,
): Statement[] {
  const isRoot = parent_id === null;
  const noPicture = kind !== 'audio' && facts.pictured === 0;
  const told = (text: string): Statement => ({ kind: 'absence', text, evidence: [], rank: 2.5 });
  if (noPicture && segments === null && facts.people.length === 0)
    return [told(`Nothing is known about this ${isRoot ? 'file' : 'part'}: it has not been analysed.`)];
  const statements: Statement[] = [];
  if (noPicture) statements.push(told(`No pictures of this ${isRoot ? 'file' : 'part'} were analysed.`));
  else if (material.pictures && !isSomethingTold && facts.pictured > 0)
    statements.push(told('Nothing in the pictures was recognised.'));
  const isNeeded = isRoot || (!isSomethingTold && statements.length === 0);
  if (segments === null && kind !== 'image' && isNeeded) statements.push(told('There is no transcript.'));
  else if (segments !== null && facts.spoken === 0 && kind !== 'image')
    statements.push(told(isRoot ? 'Nobody speaks.' : 'No speech.'));
  return statements;
}
