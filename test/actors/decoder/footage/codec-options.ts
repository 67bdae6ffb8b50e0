// Encoder options the test clips share. One thread, and no macroblock tree (it reads memory it has not set): the
// same bytes on every machine.

export const fps = (num: number, den = 1) => ({ num, den });
/** 24, 30 or 60 as television counts them: 1000/1001 of it. */
export const ntsc = (num: number) => fps(num * 1000, 1001);

export const x264 = { preset: 'veryfast', crf: '23', threads: '1', mbtree: '0' };
export const pyramid = { ...x264, bf: '3', 'x264-params': 'b-pyramid=normal:b-adapt=0:scenecut=0' };
export const x265 = (params: string) => ({
  preset: 'ultrafast',
  'x265-params': `log-level=none:pools=none:frame-threads=1:scenecut=0:${params}`,
});
