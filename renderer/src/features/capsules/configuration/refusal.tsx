import type { Capsule } from '#shared/capsules/contract';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import { findText, useText } from '../../../i18n/text.ts';
import { Note } from '../../../ui/surface.tsx';

type Props = { capsule: Capsule; configuration: CapsuleConfiguration };

/** Reason why the configuration cannot be changed now, before anything is typed. */
export function ChangeRefused({ capsule, configuration }: Props) {
  const t = useText();
  const { refusal } = configuration.change;
  if (!refusal || capsule.status === 'destroyed') return null;
  if (refusal.code === 'capsule_runtime_unsafe') return <Unsafe capsule={capsule} configuration={configuration} />;
  const known = findText(`refusal.${refusal.code}`);
  return (
    <Note tone="warn" title={t('configuration.refused')}>
      <p {...(!known && { lang: 'en' })}>{known ? t(known) : refusal.message}</p>
    </Note>
  );
}

/** The ways out of an uncertain result. A new default of the module reaches only inputs without a value of their own. */
function Unsafe({ capsule, configuration }: Props) {
  const t = useText();
  const hasDefaults = configuration.inputs.some(({ origin }) => origin.kind === 'module_default');
  const hasFailedAction = capsule.latestRun?.errorCode === 'capsule_lifecycle_action_failed';
  return (
    <Note tone="warn" title={t('configuration.unsafe.title')}>
      <p>{t('configuration.unsafe.text')}</p>
      <ul className="mt-2 list-disc space-y-1 pl-5">
        <li>{t('configuration.unsafe.outside')}</li>
        {hasDefaults && <li>{t('configuration.unsafe.default')}</li>}
        <li>{t('configuration.unsafe.commit')}</li>
        {hasFailedAction && <li>{t('configuration.unsafe.readopt')}</li>}
        <li>{t('configuration.unsafe.destroy')}</li>
      </ul>
    </Note>
  );
}
