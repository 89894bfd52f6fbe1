import { useState } from 'react';
import { useCapsule } from '../capsule-context.ts';
import { ReAdopt } from '../re-adoption/re-adopt.tsx';
import { CapsuleInputs } from './configuration.tsx';
import { CapsuleCredentials } from './credentials.tsx';
import { InputLinks } from './inputs.tsx';
import { hasSavedChange } from './use-change.ts';

/** Inputs of a Capsule with their origins, values from other Capsules, and Connections. */
export function ConfigurationPage() {
  const { capsule, report } = useCapsule();
  const [isChanging, setChanging] = useState(() => hasSavedChange(capsule.id));
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <CapsuleInputs capsule={capsule} isChanging={isChanging} onChanging={setChanging} />
      <InputLinks capsule={capsule} report={report} />
      {!isChanging && <CapsuleCredentials capsule={capsule} />}
      {!isChanging && <ReAdopt capsule={capsule} report={report} />}
    </div>
  );
}
