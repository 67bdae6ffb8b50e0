// Many more deaths of the engine than each run of the tests has, at moments of another seed.
process.env['FRAMEHOUND_TEST_KILLS'] ??= '20';
process.env['FRAMEHOUND_TEST_SEED'] ??= '11';
await import('../system/service-faults.test.ts');
