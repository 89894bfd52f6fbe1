import { useQuery } from '@tanstack/react-query';
import { sourceQuery } from '../../../api/records.ts';
import { useCapsule } from '../capsule-context.ts';
import { CapsuleApps } from '../interfaces/page.tsx';
import { AboutCapsule } from './about.tsx';
import { CapsuleNote } from './note.tsx';
import { CapsuleOutputs } from './outputs.tsx';
import { ModuleReadme } from './readme.tsx';
import { OutputShares } from './shares.tsx';
import { StatusCard } from './status.tsx';
import { CapsuleToolchain } from './toolchain.tsx';
import { CapsuleUsage } from './usage.tsx';

/** A Capsule at a glance: its status, Outputs and origin, and the Workspaces that may read its Outputs. */
export function OverviewPage() {
  const { capsule, report, again } = useCapsule();
  const source = useQuery(sourceQuery(capsule.sourceId)).data;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem] lg:grid-rows-[auto_1fr]">
      <div className="flex min-w-0 flex-col gap-4">
        <CapsuleApps capsuleId={capsule.id} />
        <StatusCard capsule={capsule} />
        {capsule.note !== undefined && <CapsuleNote note={capsule.note} />}
        {capsule.currentStateVersionId !== undefined && <CapsuleOutputs capsuleId={capsule.id} report={report} />}
        <OutputShares capsule={capsule} report={report} />
      </div>
      <div className="flex min-w-0 flex-col gap-4 lg:col-start-2 lg:row-span-2 lg:row-start-1">
        <AboutCapsule capsule={capsule} source={source} report={report} again={again} />
        <CapsuleUsage capsuleId={capsule.id} />
        <CapsuleToolchain capsuleId={capsule.id} />
      </div>
      {/* Below everything else, because it arrives last. */}
      <div className="min-w-0">
        <ModuleReadme capsule={capsule} report={report} />
      </div>
    </div>
  );
}
