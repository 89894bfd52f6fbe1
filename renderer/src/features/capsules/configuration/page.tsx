import { useCapsule } from '../capsule-context.ts';
import { CapsuleCredentials } from './credentials.tsx';
import { InputLinks } from './inputs.tsx';

/** What the next plan of a Capsule starts from: values from other Capsules, and its Connections. */
export function ConfigurationPage() {
  const { capsule, report } = useCapsule();
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <InputLinks capsule={capsule} report={report} />
      <CapsuleCredentials capsule={capsule} />
    </div>
  );
}
