import { useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import { configurationQuery } from '../../../api/records.ts';
import { useMay } from '../../../api/role.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/surface.tsx';
import { ChangeForm } from './change-form.tsx';
import { InputTable } from './input-table.tsx';
import { InstallAgain } from './install-again.tsx';
import { ChangeRefused } from './refusal.tsx';
import { discardSavedChange } from './use-change.ts';

type Props = { capsule: Capsule; isChanging: boolean; onChanging: (isChanging: boolean) => void };

/** Inputs of a Capsule for every reader, and the form of a change for those who may plan one. */
export function CapsuleInputs({ capsule, isChanging, onChanging }: Props) {
  const t = useText();
  const query = useQuery(configurationQuery(capsule.id));
  const may = useMay();
  const mayChange = may('planConfiguration');
  if (!query.data) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  const configuration = query.data;
  const isRefused = configuration.change.refusal !== undefined;
  const close = () => {
    discardSavedChange(capsule.id);
    onChanging(false);
  };
  if (isChanging && mayChange && configuration.change.refusal?.code !== 'capsule_runtime_unsafe')
    return (
      <div className="flex min-w-0 flex-col gap-4">
        <ChangeRefused capsule={capsule} configuration={configuration} />
        <ChangeForm configuration={configuration} onClose={close} />
      </div>
    );
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {mayChange && <ChangeRefused capsule={capsule} configuration={configuration} />}
      {capsule.status === 'destroyed' && <InstallAgain capsule={capsule} configuration={configuration} />}
      <Card>
        <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5">
          <h2 className="font-semibold">{t('configuration.title')}</h2>
          {mayChange && !isRefused && <Button onClick={() => onChanging(true)}>{t('configuration.change')}</Button>}
          {!mayChange && <p className="text-sm text-muted">{t('configuration.role')}</p>}
        </div>
        <InputTable inputs={configuration.inputs} />
      </Card>
    </div>
  );
}
