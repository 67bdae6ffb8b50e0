// Encoder options that the test clips share. One thread and no macroblock tree (which reads uninitialised
// memory) give the same bytes on every machine.

export const fps = (num: number, den = 1) => ({ num, den });
/** NTSC rates: 1000/1001 of 24, 30 or 60. */
export const ntsc = (num: number) => fps(num * 1000, 1001);

export const x264 = { preset: 'veryfast', crf: '23', threads: '1', mbtree: '0' };
export const pyramid = { ...x264, bf: '3', 'x264-params': 'b-pyramid=normal:b-adapt=0:scenecut=0' };
export const x265 = (params: string) => ({
  preset: 'ultrafast',
  'x265-params': `log-level=none:pools=none:frame-threads=1:scenecut=0:${params}`,
});
