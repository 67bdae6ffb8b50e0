// Many more damaged files than each run of the tests reads, by other seeds.
process.env['FRAMEHOUND_FUZZ_SEEDS'] ??= '40';
process.env['FRAMEHOUND_FUZZ_FROM'] ??= '1000';
await import('../system/fuzz.test.ts');
