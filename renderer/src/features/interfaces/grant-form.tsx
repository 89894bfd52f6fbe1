import { type FormEvent, useId, useRef, useState } from 'react';
import type { interfacesApi } from '#shared/interfaces/api';
import { Permissions } from '#shared/interfaces/scalars';
import { type WellKnownKind, wellKnownInterfaces, wellKnownKindOf } from '#shared/interfaces/well-known';
import type { BodyInputOf } from '#shared/kernel/endpoint';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { useText } from '../../i18n/text.ts';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { SubjectChoice } from './subject-choice.tsx';

export type NewBinding = BodyInputOf<typeof interfacesApi.createInterfaceBinding>;
type Subject = NewBinding['subjectRef'];
const deliveries = ['none', 'oauth2'] as const;
const isPerson = (subject: Subject | undefined): boolean => subject === undefined || subject.kind === 'Principal';
/** Tokens are issued to people only. */
const deliveriesTo = (subject: Subject | undefined) => deliveries.slice(0, isPerson(subject) ? undefined : 1);

type Props = {
  /** Type of the Interface. */
  type: string;
  save: { error?: unknown; isBusy: boolean };
  onSubmit: (binding: NewBinding) => void;
  onCancel: () => void;
};

/** The permission and the delivery that clients of a type expect. */
const usualOf = (kind: WellKnownKind | undefined) => ({
  permissions: kind === undefined ? '' : wellKnownInterfaces[kind].permission,
  delivery: (kind === 'mcp' ? 'oauth2' : 'none') as (typeof deliveries)[number],
});

/** Asks who may use an Interface. What they may do and how is preset for the types that this product knows. */
export function GrantForm({ type, save, onSubmit, onCancel }: Props) {
  const t = useText();
  const kind = wellKnownKindOf(type);
  const form = useRef<HTMLFormElement>(null);
  const [subject, setSubject] = useState<Subject>();
  const [details, setDetails] = useState(usualOf(kind));
  const offered = deliveriesTo(subject);
  const shown = { ...details, delivery: offered.find((one) => one === details.delivery) ?? 'none' };
  const [isChecked, setChecked] = useState(false);
  const permissions = details.permissions.split(/[\s,、]+/).filter((one) => one !== '');
  const isPermitted = Permissions.safeParse(permissions).success;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!subject || !isPermitted) return focusInvalid(form.current);
    onSubmit({ subjectRef: subject, permissions, delivery: { type: shown.delivery } });
  };
  const fields = (
    <Details details={shown} deliveries={offered} onChange={setDetails} isWrong={isChecked && !isPermitted} />
  );
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <SubjectChoice subject={subject} onChange={setSubject} isWrong={isChecked && !subject} />
      {kind === undefined ? (
        fields
      ) : (
        <>
          <p className="text-muted">
            {t(kind === 'mcp' && !isPerson(subject) ? 'interfaces.grant.mcp.capsule' : `interfaces.grant.${kind}`)}
          </p>
          <details>
            <summary className="cursor-pointer text-sm text-muted">{t('interfaces.grant.more')}</summary>
            <div className="mt-3 flex flex-col gap-4">{fields}</div>
          </details>
        </>
      )}
      <FormEnd save={save} label={t('interfaces.grant.do')} onCancel={onCancel} />
    </form>
  );
}

type DetailsProps = {
  details: ReturnType<typeof usualOf>;
  deliveries: readonly (typeof deliveries)[number][];
  onChange: (details: ReturnType<typeof usualOf>) => void;
  isWrong: boolean;
};

function Details({ details, deliveries, onChange, isWrong }: DetailsProps) {
  const t = useText();
  const id = useId();
  return (
    <>
      <Labelled
        id={`${id}-permissions`}
        label={t('interfaces.permissions')}
        help={t('interfaces.permissions.help')}
        problem={isWrong ? t('interfaces.permissions.wrong') : undefined}
      >
        <input
          id={`${id}-permissions`}
          name="permissions"
          className={`${inputClass} font-mono`}
          value={details.permissions}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-invalid={isWrong || undefined}
          aria-describedby={`${id}-permissions-help`}
          onChange={({ target }) => onChange({ ...details, permissions: target.value })}
        />
      </Labelled>
      <Labelled
        id={`${id}-delivery`}
        label={t('binding.delivery')}
        help={t(`binding.delivery.${details.delivery}.help`)}
      >
        <select
          id={`${id}-delivery`}
          className={inputClass}
          value={details.delivery}
          aria-describedby={`${id}-delivery-help`}
          onChange={({ target }) =>
            onChange({ ...details, delivery: deliveries.find((one) => one === target.value) ?? 'none' })
          }
        >
          {deliveries.map((one) => (
            <option key={one} value={one}>
              {t(`binding.delivery.${one}`)}
            </option>
          ))}
        </select>
      </Labelled>
    </>
  );
}
