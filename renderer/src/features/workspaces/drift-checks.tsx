import type { Workspace } from '#shared/workspaces/contract';
import { api } from '../../api/client.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { DriftScheduleForm } from '../../components/drift-schedule.tsx';
import { useText } from '../../i18n/text.ts';
import { Card } from '../../ui/surface.tsx';

/** Schedule of the drift checks of a Workspace. */
export function DriftChecks({ workspace }: { workspace: Workspace }) {
  const t = useText();
  const may = useMay();
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{t('drift.schedule.title')}</h2>
      <p className="mt-1 mb-3 text-sm text-muted">{t('drift.schedule.text')}</p>
      <DriftScheduleForm
        key={workspace.driftSchedule}
        schedule={workspace.driftSchedule}
        mayChange={may('updateWorkspace') && workspace.archivedAt === undefined}
        onSave={async (driftSchedule, keyOf) => {
          const params = { workspaceId: workspace.id };
          await api.updateWorkspace({ params, body: { driftSchedule } }, keyOf(driftSchedule));
          invalidateRecord({ kind: 'workspace', id: workspace.id });
        }}
      />
    </Card>
  );
}
