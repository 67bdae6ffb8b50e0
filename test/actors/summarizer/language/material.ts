// Material of nodes for tests of language models: a talk of two people by the sea.
import sharp from 'sharp';
import type { NodeMaterial } from '../../../../actors/summarizer/language/contract.ts';

export function jpeg(brightness: number, width = 64, height = 64): Promise<Uint8Array> {
  const background = { r: brightness, g: brightness, b: brightness };
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

export function leaf(changes: Partial<NodeMaterial> = {}): NodeMaterial {
  return {
    node_id: 'n3',
    range: [60, 120],
    is_leaf: true,
    evidence: {
      frames: [
        { evidence_id: 'f1', frame_idx: 65, timestamp: '00:01:05' },
        { evidence_id: 'f2', frame_idx: 100, timestamp: '00:01:40' },
      ],
      transcript: [
        {
          evidence_id: 't1',
          start_seconds: 62.5,
          end_seconds: 66,
          text: 'We sailed from Lisbon at 10:30 and nobody saw us leave the harbour.',
          speaker: 'Anna Berg',
        },
        { evidence_id: 't2', start_seconds: 70, end_seconds: 73, text: 'I was never afraid.', speaker: 'S2' },
      ],
      speakers: ['Anna Berg', 'S2'],
      people: ['Ben'],
      attribution_hints: [],
    },
    pictures: [],
    children: [],
    template_text: 'Two people talk by the sea.',
    objective: { preset: 'general_understanding', priority_hints: [], custom_instructions: null },
    language: 'en',
    ...changes,
  };
}

export function parent(changes: Partial<NodeMaterial> = {}): NodeMaterial {
  const children = [
    { node_id: 'n1', range: [0, 60], text: 'A boat leaves a harbour.' },
    { node_id: 'n3', range: [60, 120], text: 'Anna Berg talks with Ben. "I was never afraid."' },
  ] as const;
  return leaf({ node_id: 'n0', range: [0, 120], is_leaf: false, children, ...changes });
}

export const answer = (text: string, more: object = {}) =>
  JSON.stringify({ text, people: [], times: [], uncertain: [], ...more });
