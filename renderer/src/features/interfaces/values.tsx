import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Interface, InterfaceInput, Provenance } from '#shared/interfaces/contract';
import { capsuleQuery } from '../../api/records.ts';
import { useFormResourceName } from '../../components/interfaces/form-resource-name.ts';
import { useText } from '../../i18n/text.ts';
import { webAddress } from '../../ui/address.ts';
import { JsonValue } from '../../ui/json-value.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Card } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Address } from './address.tsx';

/** The inputs of an Interface: each value, and the Output, Run and state, or Resource, that it comes from. */
export function InterfaceValues({ shown: { spec, status } }: { shown: Interface }) {
  const t = useText();
  const inputs = Object.entries(spec.inputs ?? {});
  if (inputs.length === 0) return null;
  const { resolvedInputs: values, provenance } = status;
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('interfaces.values')}</h2>
      <dl className="divide-y divide-line">
        {inputs.map(([name, input]) => (
          <div
            key={name}
            className="grid grid-cols-1 gap-x-6 gap-y-1 px-4 py-2.5 sm:grid-cols-[minmax(8rem,14rem)_minmax(0,1fr)]"
          >
            <dt className="font-mono text-[0.93em] break-words">{visibleText(name)}</dt>
            <dd className="min-w-0">
              {values && name in values ? (
                <InputValue value={values[name]} name={visibleText(name)} />
              ) : (
                <span className="text-muted">{t('interfaces.values.none')}</span>
              )}
              <Origin input={input} provenance={provenance?.[name]} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function InputValue({ value, name }: { value: unknown; name: string }) {
  const address = webAddress(value);
  return address === undefined ? <JsonValue value={value} name={name} /> : <Address address={address} name={name} />;
}

type OriginProps = { input: InterfaceInput; provenance: Provenance | undefined };

function Origin({ input, provenance }: OriginProps) {
  const t = useText();
  if (input.source === 'literal') return <p className="mt-0.5 text-xs text-muted">{t('interfaces.values.literal')}</p>;
  if (input.source === 'resource_output')
    return (
      <div className="mt-0.5 text-xs text-muted">
        <FromResource input={input} />
        {provenance?.source === 'resource_output' && (
          <p>{t('interfaces.values.generation', { generation: provenance.resourceGeneration })}</p>
        )}
      </div>
    );
  return (
    <div className="mt-0.5 text-xs text-muted">
      <FromOutput input={input} />
      {provenance?.source === 'capsule_output' && <Recorded capsuleId={input.capsuleId} provenance={provenance} />}
    </div>
  );
}

function FromOutput({ input }: { input: InterfaceInput & { source: 'capsule_output' } }) {
  const t = useText();
  const { capsuleId, outputName, pointer } = input;
  const capsule = useQuery(capsuleQuery(capsuleId)).data;
  return (
    <p className="break-words">
      {t('interfaces.values.output', { output: visibleText(outputName) })}{' '}
      <Link to="/capsules/$id" params={{ id: capsuleId }} className="text-accent underline underline-offset-2">
        {visibleText(capsule?.name ?? capsuleId)}
      </Link>
      <Part pointer={pointer} />
    </p>
  );
}

function FromResource({ input }: { input: InterfaceInput & { source: 'resource_output' } }) {
  const t = useText();
  const { resourceId, outputName, pointer } = input;
  const name = useFormResourceName(resourceId);
  return (
    <p className="break-words">
      {outputName === undefined
        ? t('interfaces.values.resource')
        : t('interfaces.values.output', { output: visibleText(outputName) })}{' '}
      {name}
      <Part pointer={pointer} />
    </p>
  );
}

/** The part of an Output that an input selects; nothing for the whole value. */
const Part = ({ pointer = '' }: { pointer: string | undefined }) =>
  pointer === '' ? null : (
    <>
      , <code className="font-mono break-all">{visibleText(pointer)}</code>
    </>
  );

type RecordedProps = { capsuleId: string; provenance: Provenance & { source: 'capsule_output' } };

/** The Run and the StateVersion that committed a value, and the digest of its Output. */
function Recorded({ capsuleId, provenance: { runId, stateVersionId, outputDigest } }: RecordedProps) {
  const t = useText();
  return (
    <p className="flex flex-wrap items-center gap-x-3">
      {runId !== undefined && (
        <Link to="/runs/$id" params={{ id: runId }} className="text-accent underline underline-offset-2">
          {t('interfaces.values.run')}
        </Link>
      )}
      {stateVersionId !== undefined && (
        <Link
          to="/capsules/$id/states"
          params={{ id: capsuleId }}
          className="text-accent underline underline-offset-2"
          title={stateVersionId}
        >
          StateVersion
        </Link>
      )}
      <span className="inline-flex items-center gap-1">
        {t('interfaces.values.digest')} <ShortId id={outputDigest} what={t('interfaces.values.digest')} length={19} />
      </span>
    </p>
  );
}
