import { useCapsule } from '../capsule-context.ts';
import { CapsuleCredentials } from './credentials.tsx';
import { InputLinks } from './inputs.tsx';

/** Configuration of the next plan of a Capsule: values from other Capsules, and Connections. */
export function ConfigurationPage() {
  const { capsule, report } = useCapsule();
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <InputLinks capsule={capsule} report={report} />
      <CapsuleCredentials capsule={capsule} />
    </div>
  );
}
