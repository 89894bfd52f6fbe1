import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { PlainField, SecretField } from './fields.tsx';
import {
  emptyRegistryDraft,
  findRegistryProblems,
  type RegistryDraft,
  type RegistryField,
  refusedRegistryField,
  useNewRegistry,
} from './registry-draft.ts';

type Props = { onCreated: (connection: Connection) => void; onCancel: () => void };

/** Form for a module registry and its token. The typed values are removed from the page once they are saved. */
export function RegistryForm({ onCreated, onCancel }: Props) {
  const t = useText();
  const [draft, setDraft] = useState<RegistryDraft>(emptyRegistryDraft);
  const [showErrors, setShowErrors] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const make = useNewRegistry();
  const refused = refusedRegistryField(make.error);
  const problems = showErrors ? findRegistryProblems(draft) : {};
  const field = (name: RegistryField) => ({
    name,
    ...texts[name],
    value: draft[name],
    problem: problems[name] ?? (refused?.field === name ? refused.text : undefined),
    onText: (text: string) => {
      if (make.error !== undefined) make.reset();
      setDraft({ ...draft, [name]: text });
    },
  });
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  useEffect(() => {
    if (refusedRegistryField(make.error)) focusInvalid(form.current);
  }, [make.error]);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (Object.keys(findRegistryProblems(draft)).length > 0) return focusInvalid(form.current);
    const connection = await make.run(draft);
    if (!connection) return;
    setDraft(emptyRegistryDraft);
    setShowErrors(false);
    onCreated(connection);
  };
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => void send(event)}
      className="flex flex-col gap-4"
      autoComplete="off"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <PlainField {...field('host')} />
        <SecretField {...field('token')} />
        <PlainField {...field('module')} />
        <PlainField {...field('name')} />
      </div>
      <FormEnd
        save={refused ? { isBusy: make.isBusy } : make}
        label={t('registry.save')}
        onCancel={onCancel}
        cancel={t('form.otherRecipe')}
      />
    </form>
  );
}

const texts: Readonly<Record<RegistryField, { label: TextId; help: TextId }>> = {
  host: { label: 'registry.host', help: 'registry.host.help' },
  token: { label: 'registry.token', help: 'registry.token.help' },
  module: { label: 'registry.module', help: 'registry.module.help' },
  name: { label: 'token.name', help: 'token.name.help' },
};
