import { useMemo } from 'react';
import { kindOf } from '#shared/plans/change';
import type { ComparedOutput, ComparedResource } from '#shared/plans/comparison';
import { Attributes } from '../../../components/plan/attributes.tsx';
import { splitAddress } from '../../../components/plan/change.ts';
import { diffResource } from '../../../components/plan/diff.ts';
import { KindMark } from '../../../components/plan/kind-mark.tsx';
import { useText } from '../../../i18n/text.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { Arrow, differenceTones } from './difference.tsx';

const summaryClass = 'flex cursor-pointer flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2 hover:bg-raised/50';

/** A resource that two plans change differently: closed its address and actions, opened both results. */
export function ComparedResourceRow({ resource }: { resource: ComparedResource }) {
  const t = useText();
  const { difference, earlier, later, address } = resource;
  const [module, own] = splitAddress(resource);
  return (
    <details className="border-t border-line first:border-t-0">
      <summary className={summaryClass}>
        <Pill tone={differenceTones[difference]}>{t(`compare.resource.${difference}`)}</Pill>
        <span className="min-w-0 flex-1 basis-60 font-mono text-[0.93em] leading-5 break-all">
          <span className="text-muted">{visibleText(module)}</span>
          <span className="font-medium">{visibleText(own)}</span>
        </span>
        <span className="flex items-center gap-1.5">
          {earlier && <KindMark kind={kindOf(earlier)} actions={earlier.actions} />}
          {earlier && later && <Arrow />}
          {later && <KindMark kind={kindOf(later)} actions={later.actions} />}
        </span>
      </summary>
      <div className="px-4 pb-4">
        <p className="flex flex-wrap items-center gap-3 py-1 text-xs text-muted">
          {t(earlier && later ? 'compare.results' : later ? 'compare.onlyLater' : 'compare.onlyEarlier')}
          <CopyButton text={address} what={t('plan.address')} />
        </p>
        <Sides {...resource} name={address} />
        {resource.start && (
          <>
            <p className="pt-3 pb-1 text-xs text-muted">{t('compare.start')}</p>
            <Sides {...resource.start} name={address} />
          </>
        )}
      </div>
    </details>
  );
}

export function ComparedOutputRow({ output }: { output: ComparedOutput }) {
  const t = useText();
  return (
    <details className="border-t border-line first:border-t-0">
      <summary className={summaryClass}>
        <Pill tone={differenceTones[output.difference]}>{t(`compare.resource.${output.difference}`)}</Pill>
        <span className="min-w-0 flex-1 font-mono text-[0.93em] font-medium break-all">
          {t('compare.output', { name: visibleText(output.name) })}
        </span>
      </summary>
      <div className="px-4 pb-4">
        <Sides before={{ [output.name]: output.before }} after={{ [output.name]: output.after }} name={output.name} />
      </div>
    </details>
  );
}

type SidesProps = Pick<ComparedResource, 'before' | 'after'> & { name: string };

function Sides({ before, after, name }: SidesProps) {
  const nodes = useMemo(
    () => diffResource({ before, after, afterUnknown: false, afterSensitive: false }),
    [before, after],
  );
  return <Attributes nodes={nodes} name={name} />;
}
