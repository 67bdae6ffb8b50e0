// The language model that a summary is asked for with, checked before any work begins.
import { fitsMemory, type Machine, recommendedSummaryModel } from './advice.ts';
import { modelErrors, type SummaryRow } from './contract.ts';
import {
  currentSystem,
  findSummaryRow,
  isSummary,
  missingFiles,
  readRegistry,
  requireFiles,
} from './registry.ts';

/**
 * `key`: one that was named; null for the recommended one, which is null too where none is downloaded that
 * fits: then texts come from templates. Throws MODEL_UNKNOWN, MODEL_WRONG_KIND, MODEL_UNSUPPORTED for one
 * that cannot run here, and MODEL_NOT_DOWNLOADED with the command that downloads it.
 */
export async function chooseSummaryModel(
  modelsDir: string,
  key: string | null,
  machine: Machine,
): Promise<SummaryRow | null> {
  const registry = await readRegistry(modelsDir);
  const system = currentSystem();
  if (key !== null) {
    const row = findSummaryRow(registry, key);
    if (!row.compatible_os.includes(system)) {
      const there = row.compatible_os.join(', ');
      throw modelErrors.MODEL_UNSUPPORTED(`"${key}" runs on ${there}, but this machine is ${system}`, {
        key,
      });
    }
    await requireFiles(modelsDir, row);
    return row;
  }
  const models = registry.rows.filter(isSummary).map(async (row) => ({
    row,
    downloaded: (await missingFiles(modelsDir, row)).length === 0,
    supported: row.compatible_os.includes(system),
    fits: fitsMemory(row, machine),
  }));
  const recommended = recommendedSummaryModel(await Promise.all(models));
  return recommended && isSummary(recommended) ? recommended : null;
}
