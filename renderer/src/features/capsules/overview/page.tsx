import { useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import { isAwaited } from '../../../api/awaited.ts';
import { appsOfCapsuleQuery } from '../../../api/interfaces.ts';
import { outputsQuery, sourceQuery } from '../../../api/records.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { whenKnown } from '../../../api/when-known.ts';
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

/**
 * True when the apps and the Outputs of a Capsule are known or cannot be read. They are the first on the page and have
 * any height, so everything below them loads hidden until then.
 */
function useIsTopKnown({ id, currentStateVersionId }: Capsule): boolean {
  const apps = useQuery(appsOfCapsuleQuery(useWorkspaceId(), id));
  const outputs = useQuery(whenKnown(currentStateVersionId && id, outputsQuery));
  return !isAwaited(apps) && !isAwaited(outputs);
}

/** A Capsule at a glance: its status, Outputs and origin, and the Workspaces that may read its Outputs. */
export function OverviewPage() {
  const { capsule, report, again } = useCapsule();
  const source = useQuery(sourceQuery(capsule.sourceId)).data;
  const isTopKnown = useIsTopKnown(capsule);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem] lg:grid-rows-[auto_1fr]">
      <div className="flex min-w-0 flex-col gap-4">
        <CapsuleApps capsuleId={capsule.id} />
        <StatusCard capsule={capsule} />
        {capsule.note !== undefined && <CapsuleNote note={capsule.note} />}
        {capsule.currentStateVersionId !== undefined && <CapsuleOutputs capsuleId={capsule.id} report={report} />}
        <div className={isTopKnown ? '' : 'hidden'}>
          <OutputShares capsule={capsule} report={report} />
        </div>
      </div>
      <div
        className={`min-w-0 flex-col gap-4 lg:flex ${isTopKnown ? 'flex' : 'hidden'} lg:col-start-2 lg:row-span-2 lg:row-start-1`}
      >
        <AboutCapsule capsule={capsule} source={source} report={report} again={again} />
        <CapsuleUsage capsuleId={capsule.id} />
        <CapsuleToolchain capsuleId={capsule.id} />
      </div>
      {/* Below everything else, because it arrives last. */}
      <div className={`min-w-0 ${isTopKnown ? '' : 'hidden'}`}>
        <ModuleReadme capsule={capsule} report={report} />
      </div>
    </div>
  );
}
