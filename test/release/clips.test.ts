// What each run of the tests does with every fifth clip, with all of them.
await import('../actors/decoder/clips/clip.slow.test.ts');
await import('../actors/decoder/clips/proxy.slow.test.ts');
await import('../actors/decoder/frames/frames.slow.test.ts');
await import('../actors/decoder/frames/moments.slow.test.ts');
await import('../actors/decoder/frames/outputs.slow.test.ts');
await import('../actors/decoder/frames/sections.slow.test.ts');
await import('../actors/decoder/probe/probe.slow.test.ts');
await import('../actors/decoder/times/picture-times.slow.test.ts');
