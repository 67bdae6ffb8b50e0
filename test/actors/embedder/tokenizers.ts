// Small tokenizer.json files of the two kinds the families meet: byte pairs with byte fallback and no start
// token, and byte-level pairs with a word-end suffix, start and end token.

const special = (id: number, content: string) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
});

/** Space is `▁`; a letter that is no piece becomes its bytes; the end token 1 is appended; 0 fills up. */
export function gemmaLike(options: { appendsEnd?: boolean } = {}): object {
  const vocab: Record<string, number> = { '<pad>': 0, '<eos>': 1, '<bos>': 2, '<unk>': 3 };
  const add = (piece: string) => {
    vocab[piece] ??= Object.keys(vocab).length;
  };
  for (let byte = 0; byte < 256; byte += 1) add(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  for (const letter of '▁abcdefghijklmnopqrstuvwxyz.ABC') add(letter);
  for (const piece of ['re', 'red', '▁c', '▁ca', '▁car']) add(piece);
  const merges = ['r e', 're d', '▁ c', '▁c a', '▁ca r'].map((pair) => pair.split(' '));
  const eos = { SpecialToken: { id: '<eos>', type_id: 0 } };
  const sequence = { Sequence: { id: 'A', type_id: 0 } };
  return {
    added_tokens: [special(0, '<pad>'), special(1, '<eos>'), special(2, '<bos>'), special(3, '<unk>')],
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    pre_tokenizer: null,
    post_processor:
      options.appendsEnd === false
        ? null
        : {
            type: 'TemplateProcessing',
            single: [sequence, eos],
            pair: [sequence, eos],
            special_tokens: { '<eos>': { id: '<eos>', ids: [1], tokens: ['<eos>'] } },
          },
    decoder: null,
    model: { type: 'BPE', unk_token: '<unk>', fuse_unk: true, byte_fallback: true, vocab, merges },
  };
}

/** Lower-cases by itself; words end in `</w>`; 300 starts, 301 ends and fills up. */
export function clipLike(): object {
  const vocab: Record<string, number> = {};
  const add = (piece: string) => {
    vocab[piece] ??= Object.keys(vocab).length;
  };
  for (const letter of 'abcdefghijklmnopqrstuvwxyz0123456789.,!') {
    add(letter);
    add(`${letter}</w>`);
  }
  for (const piece of ['re', 'red</w>', 'ca', 'car</w>']) add(piece);
  vocab['<|startoftext|>'] = 300;
  vocab['<|endoftext|>'] = 301;
  return {
    added_tokens: [special(300, '<|startoftext|>'), special(301, '<|endoftext|>')],
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFC' },
        { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
        { type: 'Lowercase' },
      ],
    },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        {
          type: 'Split',
          pattern: { Regex: "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+" },
          behavior: 'Removed',
          invert: true,
        },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true },
      ],
    },
    post_processor: {
      type: 'RobertaProcessing',
      sep: ['<|endoftext|>', 301],
      cls: ['<|startoftext|>', 300],
      trim_offsets: false,
      add_prefix_space: false,
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      unk_token: '<|endoftext|>',
      continuing_subword_prefix: '',
      end_of_word_suffix: '</w>',
      fuse_unk: false,
      vocab,
      merges: ['r e', 're d</w>', 'c a', 'ca r</w>'],
    },
  };
}

export const vocabularyOf = (tokenizer: object): Record<string, number> =>
  (tokenizer as { model: { vocab: Record<string, number> } }).model.vocab;
