import { useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import { api } from '../../../api/client.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { workspaceQuery } from '../../../api/records.ts';
import { useMay } from '../../../api/role.ts';
import { DriftScheduleForm } from '../../../components/drift-schedule.tsx';
import { isLiving } from '../living.ts';

/** Schedule of the drift checks of a Capsule: its own, or that of the Workspace. */
export function DriftScheduleSetting({ capsule }: { capsule: Capsule }) {
  const may = useMay();
  const workspace = useQuery(workspaceQuery(capsule.workspaceId)).data;
  return (
    <DriftScheduleForm
      key={capsule.driftSchedule}
      schedule={capsule.driftSchedule}
      inherited={workspace?.driftSchedule ?? 'off'}
      mayChange={may('updateCapsule') && isLiving(capsule)}
      onSave={async (driftSchedule, keyOf) => {
        await api.updateCapsule({ params: { capsuleId: capsule.id }, body: { driftSchedule } }, keyOf(driftSchedule));
        invalidateRecord({ kind: 'capsule', id: capsule.id });
      }}
    />
  );
}
