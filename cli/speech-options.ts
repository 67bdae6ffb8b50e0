// How speech is written down, as options of the table of commands; without defaults, which each command has of its own.

export const speechOptions = {
  language: { type: 'string', value: 'L', help: 'english, de, pt-BR, … or auto (english)' },
  speakers: {
    type: 'string',
    value: 'auto|none|N|5+',
    completes: ['auto', 'none', '1', '2', '3', '4', '5+'],
    help: 'how many voices there are (auto)',
  },
  channels: {
    type: 'string',
    value: '1,2',
    help: 'these audio channels, each by itself, instead of all mixed',
  },
  with: {
    type: 'string',
    value: 'WISH',
    completes: ['auto', 'faster', 'more accurate', 'x3-asr-0.6b', 'x3-asr-1.7b', 'subtitles'],
    help: 'auto, faster, more accurate, x3-asr-0.6b, x3-asr-1.7b or subtitles',
  },
} as const;
