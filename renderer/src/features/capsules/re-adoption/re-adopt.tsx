import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import { configurationQuery } from '../../../api/records.ts';
import { useMay } from '../../../api/role.ts';
import { useText } from '../../../i18n/text.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Card, Note } from '../../../ui/surface.tsx';
import { ReAdoptForm } from './re-adopt-form.tsx';

type Props = { capsule: Capsule; report: CompatibilityReport | undefined };

/** Moves the configuration of a Capsule to another snapshot. Renders nothing for a caller who cannot. */
export function ReAdopt({ capsule, report }: Props) {
  const t = useText();
  const may = useMay();
  const [step, setStep] = useState<'closed' | 'open' | 'done'>('closed');
  const configuration = useQuery({ ...configurationQuery(capsule.id), enabled: may('reAdopt') }).data;
  const isOver = capsule.status === 'destroyed' || capsule.status === 'disabled';
  if (!may('reAdopt') || isOver || !configuration || !report) return null;
  if (step === 'done')
    return (
      <Note tone="info" title={t('readopt.done')}>
        <p>{t('readopt.done.text')}</p>
        <Link to="/capsules/$id" params={{ id: capsule.id }} className={`mt-2 ${buttonClass('primary')}`}>
          {t('readopt.done.plan')}
        </Link>
      </Note>
    );
  if (step === 'open')
    return (
      <ReAdoptForm
        capsule={capsule}
        configuration={configuration}
        modulePath={report.modulePath}
        onDone={() => setStep('done')}
        onCancel={() => setStep('closed')}
      />
    );
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
        <div className="min-w-0 flex-1 basis-72">
          <h2 className="font-semibold">{t('readopt.title')}</h2>
          <p className="mt-0.5 max-w-prose text-sm text-muted">{t('readopt.lead')}</p>
        </div>
        <Button onClick={() => setStep('open')}>{t('readopt.open')}</Button>
      </div>
    </Card>
  );
}
