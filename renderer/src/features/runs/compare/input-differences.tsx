import { useQuery } from '@tanstack/react-query';
import type { BindingDifference, InputDifference, InputDifferences, InputSide } from '#shared/plans/comparison';
import { connectionsQuery } from '../../../api/connections.ts';
import { capsuleNamesQuery } from '../../../api/links.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { useText } from '../../../i18n/text.ts';
import { JsonValue } from '../../../ui/json-value.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { Card } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { Arrow, differenceTones } from './difference.tsx';

type Props = { differences: InputDifferences; title: string };

/** Inputs and Connections that differ, each with both sides. Renders nothing when there are none. */
export function InputDifferenceList({ differences: { inputs, bindings }, title }: Props) {
  if (inputs.length === 0 && bindings.length === 0) return null;
  return (
    <Card>
      <h3 className="border-b border-line px-4 py-2.5 font-semibold">{title}</h3>
      <ul aria-label={title} className="divide-y divide-line">
        {inputs.map((input) => (
          <InputRow key={input.name} input={input} />
        ))}
        {bindings.map((binding) => (
          <BindingRow key={bindingName(binding)} binding={binding} />
        ))}
      </ul>
    </Card>
  );
}

const rowClass =
  'grid grid-cols-1 gap-x-4 gap-y-1 px-4 py-2.5 sm:grid-cols-[6rem_minmax(8rem,16rem)_minmax(0,1fr)] sm:items-baseline';

function InputRow({ input: { name, difference, secret, before, after } }: { input: InputDifference }) {
  const t = useText();
  return (
    <li className={rowClass}>
      <span>
        <Pill tone={differenceTones[difference]}>{t(`compare.difference.${difference}`)}</Pill>
      </span>
      <span className="font-mono text-[0.93em] font-medium break-all">{visibleText(name)}</span>
      {secret ? (
        <span className="text-muted italic">{t('compare.secret')}</span>
      ) : (
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">
          <Side side={before} name={name} />
          <Arrow />
          <Side side={after} name={name} />
        </span>
      )}
    </li>
  );
}

function Side({ side, name }: { side: InputSide | undefined; name: string }) {
  const t = useText();
  if (side === undefined) return <span className="text-muted">{t('compare.default')}</span>;
  return (
    <span className="min-w-0">
      {side.value !== undefined && <JsonValue value={side.value} name={visibleText(name)} />}
      <Origin side={side} />
    </span>
  );
}

/** Origin of a value that the configuration does not set. */
function Origin({ side: { origin } }: { side: InputSide }) {
  const t = useText();
  const names = useQuery({ ...capsuleNamesQuery(useWorkspaceId()), enabled: origin.source === 'capsule' });
  if (origin.source === 'configuration') return null;
  if (origin.source !== 'capsule')
    return <span className="text-xs text-muted"> {t(`compare.from.${origin.source}`)}</span>;
  const capsule = names.data?.find(({ capsuleId }) => capsuleId === origin.capsuleId);
  return (
    <span className="text-xs text-muted">
      {' '}
      {t('compare.from.capsule', {
        output: visibleText(origin.outputName),
        capsule: capsule ? visibleText(capsule.name) : origin.capsuleId,
      })}
    </span>
  );
}

const bindingName = ({ providerSource, providerName, alias }: BindingDifference): string =>
  `${providerSource} ${providerName}${alias === undefined ? '' : `.${alias}`}`;

function BindingRow({ binding }: { binding: BindingDifference }) {
  const t = useText();
  const { data: connections = [] } = useQuery(connectionsQuery(useWorkspaceId()));
  const nameOf = (id: string | undefined): string => {
    if (id === undefined) return t('compare.noConnection');
    const name = connections.find((one) => one.id === id)?.displayName;
    return name === undefined ? id : visibleText(name);
  };
  const { providerName, alias, before, after } = binding;
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return (
    <li className={rowClass}>
      <span>
        <Pill tone={differenceTones[kind]}>{t(`compare.difference.${kind}`)}</Pill>
      </span>
      <span className="min-w-0 break-words">
        {t('compare.binding', {
          provider: visibleText(alias === undefined ? providerName : `${providerName}.${alias}`),
        })}
      </span>
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 break-words">
        {nameOf(before)}
        <Arrow />
        {nameOf(after)}
      </span>
    </li>
  );
}
