import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import type { ProviderBindingSet } from '#shared/provider-bindings/contract';
import type { ProviderRequirement } from '#shared/runs/provider-resolution';
import { bindingsPreviewQuery } from '../../../api/bindings.ts';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord, keys } from '../../../api/queries.ts';
import { whenKnown } from '../../../api/when-known.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { BindingRows } from '../../../components/provider-bindings/binding-rows.tsx';
import { ExposedNamesList } from '../../../components/provider-bindings/exposed-names.tsx';
import { bindingsOf, chosenOf, isBlocked } from '../../../components/provider-bindings/tuples.ts';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/surface.tsx';

type Props = { capsule: Capsule; onClose: () => void };

/** Reads the current bindings of the Capsule with the guard that a change needs. Never cached. */
const useCurrent = (capsuleId: string) =>
  useQuery({
    queryKey: [...keys.bindings(capsuleId), 'change'],
    queryFn: async () => {
      const params = { capsuleId };
      const [current, bindings] = await Promise.all([
        api.getConfiguration({ params }),
        api.getProviderBindings({ params }),
      ]);
      const { change, interfaceBlueprints } = current.body.configuration;
      const { providerBindingSet, providerRequirements } = bindings.body;
      return {
        guard: change.authorityGuard,
        interfaceBlueprints,
        set: providerBindingSet,
        requirements: providerRequirements,
      };
    },
    staleTime: 0,
  });

/** Changes the Connections of a Capsule. The result is a plan to review, never an apply. */
export function ChangeCredentials({ capsule, onClose }: Props) {
  const t = useText();
  const current = useCurrent(capsule.id);
  if (current.isPending) return <Skeleton lines={3} />;
  if (current.isError) return <ErrorNote error={current.error} onAgain={() => void current.refetch()} />;
  const { requirements, ...read } = current.data;
  if (requirements === undefined) return <p>{t('binding.unchecked')}</p>;
  return <Editor capsule={capsule} {...read} requirements={requirements} onClose={onClose} />;
}

type EditorProps = Props & {
  guard: string;
  interfaceBlueprints: CapsuleConfiguration['interfaceBlueprints'];
  set: ProviderBindingSet | null;
  requirements: readonly ProviderRequirement[];
};

function Editor({ capsule, guard, interfaceBlueprints, set, requirements, onClose }: EditorProps) {
  const t = useText();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState(() => chosenOf(requirements, set?.bindings ?? []));
  const bindings = bindingsOf(requirements, chosen);
  const reportId = capsule.compatibilityReportId;
  const preview = useQuery(whenKnown(reportId, (id) => bindingsPreviewQuery(id, bindings)));
  const resolutions = preview.data?.providerResolutions;
  const isSame =
    JSON.stringify(bindings) === JSON.stringify(bindingsOf(requirements, chosenOf(requirements, set?.bindings ?? [])));
  const plan = useIntent(async (keyOf) => {
    const { body } = await api.planConfiguration(
      {
        params: { capsuleId: capsule.id },
        body: {
          variablePatch: { set: {}, remove: [] },
          providerBindings: bindings,
          interfaceBlueprints,
          expected: { authorityGuard: guard },
        },
      },
      keyOf(JSON.stringify(bindings)),
    );
    invalidateRecord({ kind: 'capsule', id: capsule.id });
    await navigate({ to: '/runs/$id', params: { id: body.configurationPlan.planRunId } });
  });
  const isStopped = resolutions?.some(isBlocked) ?? false;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-muted">{t('binding.lead')}</p>
      <div className="rounded-md border border-line">
        <BindingRows
          requirements={requirements}
          resolutions={resolutions}
          chosen={chosen}
          onChange={(next) => {
            plan.reset();
            setChosen(next);
          }}
        />
        {bindings.length > 0 && preview.data && <ExposedNamesList exposedNames={preview.data.reach} />}
      </div>
      {preview.isError && <ErrorNote error={preview.error} onAgain={() => void preview.refetch()} />}
      {plan.error !== undefined && <ErrorNote error={plan.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="primary" busy={plan.isBusy} disabled={isSame || isStopped} onClick={() => void plan.run()}>
          {t('binding.plan')}
        </Button>
        <Button onClick={onClose} disabled={plan.isBusy}>
          {t('cancel')}
        </Button>
        <p role="status" className={`min-w-0 flex-1 basis-44 text-sm ${isStopped ? 'text-bad' : 'text-muted'}`}>
          {t(isStopped ? 'binding.blocked' : isSame ? 'binding.unchanged' : 'binding.planHelp')}
        </p>
      </div>
    </div>
  );
}
