// The options for transcribing, for the table of commands. Defaults are in each command.

export const speechOptions = {
  language: { type: 'string', value: 'L', help: 'spoken language: english, de, pt-BR, … or auto (english)' },
  speakers: {
    type: 'string',
    value: 'auto|none|N|5+',
    completes: ['auto', 'none', '1', '2', '3', '4', '5+'],
    help: 'number of speakers (auto)',
  },
  channels: {
    type: 'string',
    value: '1,2',
    help: 'transcribe these channels separately instead of a mix',
  },
  with: {
    type: 'string',
    value: 'MODEL',
    completes: ['auto', 'faster', 'more accurate', 'x3-asr-0.6b', 'x3-asr-1.7b', 'subtitles'],
    help: 'speech model: auto, faster, more accurate, x3-asr-0.6b, x3-asr-1.7b or subtitles',
  },
} as const;
