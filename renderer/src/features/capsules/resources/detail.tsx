import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isJsonObject, type Json } from '#shared/kernel/json';
import { isSensitiveMark } from '#shared/plans/marks';
import type { StateResource } from '#shared/state-resources/contract';
import { blockText } from '../../../components/plan/value-text.ts';
import { useText } from '../../../i18n/text.ts';
import { quietClass } from '../../../ui/controls.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { useCapsule } from '../capsule-context.ts';
import { blocksOf } from './blocks.ts';
import { Timeline } from './timeline.tsx';

/** Attributes of one resource, blocks to copy and its history. */
export function ResourceDetail({ resource, state }: { resource: StateResource; state: string | undefined }) {
  const t = useText();
  const { id } = useCapsule().capsule;
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const { address, attributes, dependsOn = [] } = resource;
  return (
    <div className="border-t border-line/70 px-4 pt-2 pb-4 md:pl-9">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <span className="font-mono break-all">{visibleText(resource.providerName)}</span>
        <CopyButton text={address} what={t('plan.address')} />
        <Link
          to="/capsules/$id/resources"
          params={{ id }}
          search={{ address, ...(state !== undefined && { state }) }}
          resetScroll={false}
          className="text-accent underline underline-offset-2"
        >
          {t('resources.link')}
        </Link>
        <button
          type="button"
          className={quietClass}
          aria-expanded={isHistoryOpen}
          onClick={() => setHistoryOpen(!isHistoryOpen)}
        >
          {t('resources.history.show')}
        </button>
      </div>
      {isHistoryOpen && <Timeline capsuleId={id} address={address} />}
      {isJsonObject(attributes as Json) ? (
        <AttributeList attributes={attributes as { [name: string]: Json }} />
      ) : (
        <p className="mt-2 text-sm text-muted">{t('resources.noValues')}</p>
      )}
      {dependsOn.length > 0 && (
        <p className="mt-2 text-xs break-all text-muted">
          {t('resources.dependsOn')}{' '}
          <span className="font-mono">{dependsOn.map((one) => visibleText(one)).join(', ')}</span>
        </p>
      )}
      {resource.mode === 'managed' && resource.deposed === undefined && <BlockButtons resource={resource} />}
    </div>
  );
}

function AttributeList({ attributes }: { attributes: { [name: string]: Json } }) {
  const t = useText();
  const texts = {
    sensitive: t('plan.value.sensitive'),
    unknown: t('plan.value.unknown'),
    unknownSensitive: t('plan.value.unknownSensitive'),
  };
  const entries = Object.entries(attributes).filter(([, value]) => value !== null);
  const nullCount = Object.keys(attributes).length - entries.length;
  return (
    <>
      <dl className="mt-2 flex flex-col gap-1">
        {entries.map(([name, value]) => (
          <div key={name} className="grid grid-cols-1 gap-x-4 md:grid-cols-[minmax(7rem,14rem)_minmax(0,1fr)]">
            <dt className="font-mono text-xs leading-5 break-all text-muted">{visibleText(name)}</dt>
            <dd className="min-w-0 text-xs leading-5">
              {isSensitiveMark(value) ? (
                <span className="text-muted">{texts.sensitive}</span>
              ) : (
                <span className="font-mono break-words whitespace-pre-wrap">
                  {visibleText(typeof value === 'string' ? value : blockText(value, texts)) || '""'}
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {nullCount > 0 && <p className="mt-1 text-xs text-muted">{t('resources.unset', { count: nullCount })}</p>}
    </>
  );
}

const kinds = ['import', 'moved', 'removed'] as const;

/** Blocks for moving the resource to other code, with the chosen one shown before it is copied. */
function BlockButtons({ resource }: { resource: StateResource }) {
  const t = useText();
  const [shown, setShown] = useState<(typeof kinds)[number]>();
  const blocks = blocksOf(resource);
  return (
    <div className="mt-3">
      <div className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
        {t('resources.blocks')}
        {kinds.map((kind) => (
          <button
            key={kind}
            type="button"
            className={`${quietClass} font-mono`}
            aria-expanded={shown === kind}
            onClick={() => setShown(shown === kind ? undefined : kind)}
          >
            {kind}
          </button>
        ))}
      </div>
      {shown && (
        <div className="mt-1.5 flex items-start gap-2 rounded-md bg-raised px-3 py-2">
          <pre className="min-w-0 flex-1 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
            {visibleText(blocks[shown])}
          </pre>
          <CopyButton text={blocks[shown]} what={t('resources.blockOf', { kind: shown })} />
        </div>
      )}
    </div>
  );
}
