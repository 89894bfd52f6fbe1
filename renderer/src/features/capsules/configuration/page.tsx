import { useCapsule } from '../capsule-context.ts';
import { CapsuleInputs } from './configuration.tsx';
import { CapsuleCredentials } from './credentials.tsx';
import { InputLinks } from './inputs.tsx';

/** Inputs of a Capsule with their origins, values from other Capsules, and Connections. */
export function ConfigurationPage() {
  const { capsule, report } = useCapsule();
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <CapsuleInputs capsule={capsule} />
      <InputLinks capsule={capsule} report={report} />
      <CapsuleCredentials capsule={capsule} />
    </div>
  );
}
