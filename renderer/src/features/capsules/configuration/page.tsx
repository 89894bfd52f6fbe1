import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { capsuleBindingsQuery } from '../../../api/bindings.ts';
import { dependenciesQuery } from '../../../api/links.ts';
import { configurationQuery } from '../../../api/records.ts';
import { Card, Skeleton } from '../../../ui/surface.tsx';
import { useCapsule } from '../capsule-context.ts';
import { ReAdopt } from '../re-adoption/re-adopt.tsx';
import { CapsuleInputs } from './configuration.tsx';
import { CapsuleCredentials } from './credentials.tsx';
import { InputLinks } from './inputs.tsx';
import { hasSavedChange } from './use-change.ts';

/**
 * Inputs of a Capsule with their origins, values from other Capsules, and Connections. The sections appear together,
 * so that none moves when another one arrives.
 */
export function ConfigurationPage() {
  const { capsule, report } = useCapsule();
  const [isChanging, setChanging] = useState(() => hasSavedChange(capsule.id));
  const queries = [
    useQuery(configurationQuery(capsule.id)),
    useQuery(dependenciesQuery(capsule.id)),
    useQuery(capsuleBindingsQuery(capsule.id)),
  ];
  if (queries.some(({ isPending }) => isPending))
    return (
      <Card className="min-h-64">
        <Skeleton lines={5} />
      </Card>
    );
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <CapsuleInputs capsule={capsule} isChanging={isChanging} onChanging={setChanging} />
      <InputLinks capsule={capsule} report={report} />
      {!isChanging && <CapsuleCredentials capsule={capsule} />}
      {!isChanging && <ReAdopt capsule={capsule} report={report} />}
    </div>
  );
}
