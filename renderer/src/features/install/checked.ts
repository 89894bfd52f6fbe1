import type { CompatibilityReport } from '#shared/sources/report';
import { ApiError, api } from '../../api/client.ts';

export type Place = { sourceId: string; snapshotId: string; modulePath: string };
/** A module that was checked, with the Run that did it: an installation names both. */
export type Checked = { report: CompatibilityReport; checkRunId: string };

const storedKey = ({ snapshotId, modulePath }: Place): string => `install.report:${snapshotId}:${modulePath}`;

type Known = { reportId: string; checkRunId: string };

function readKnown(place: Place): Known | undefined {
  try {
    const known = JSON.parse(sessionStorage.getItem(storedKey(place)) ?? 'null') as Partial<Known> | null;
    return known?.reportId && known.checkRunId ? { reportId: known.reportId, checkRunId: known.checkRunId } : undefined;
  } catch {
    return undefined;
  }
}

/** The check that this tab has asked for before, else a new one: every check leaves a Run in the ledger. */
export async function loadChecked(place: Place): Promise<Checked> {
  const known = readKnown(place);
  if (known) {
    try {
      const { report } = (await api.getReport({ params: { reportId: known.reportId } })).body;
      return { report, checkRunId: known.checkRunId };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  const { run, report } = (
    await api.checkCompatibility({
      params: { sourceId: place.sourceId },
      body: { sourceSnapshotId: place.snapshotId, modulePath: place.modulePath },
    })
  ).body;
  sessionStorage.setItem(storedKey(place), JSON.stringify({ reportId: report.id, checkRunId: run.id }));
  return { report, checkRunId: run.id };
}
