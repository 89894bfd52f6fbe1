import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { PlainField, SecretField } from './fields.tsx';
import {
  emptyStorageDraft,
  findStorageProblems,
  refusedStorageField,
  type StorageDraft,
  type StorageField,
  useNewStorage,
} from './storage-draft.ts';

type Props = { onCreated: (connection: Connection) => void; onCancel: () => void };

/** Form for a bucket of object storage and its keys. The typed values are removed from the page once they are saved. */
export function StorageForm({ onCreated, onCancel }: Props) {
  const t = useText();
  const [draft, setDraft] = useState<StorageDraft>(emptyStorageDraft);
  const [showErrors, setShowErrors] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const make = useNewStorage();
  const refused = refusedStorageField(make.error);
  const problems = showErrors ? findStorageProblems(draft) : {};
  const field = (name: StorageField) => ({
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
    if (refusedStorageField(make.error)) focusInvalid(form.current);
  }, [make.error]);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (Object.keys(findStorageProblems(draft)).length > 0) return focusInvalid(form.current);
    const connection = await make.run(draft);
    if (!connection) return;
    setDraft(emptyStorageDraft);
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
      <PlainField {...field('endpoint')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <PlainField {...field('bucket')} />
        <PlainField {...field('region')} />
        <PlainField {...field('prefix')} />
        <PlainField {...field('name')} />
        <PlainField {...field('accessKeyId')} />
        <SecretField {...field('secretAccessKey')} />
        <SecretField {...field('sessionToken')} />
      </div>
      <FormEnd
        save={refused ? { isBusy: make.isBusy } : make}
        label={t('storage.save')}
        onCancel={onCancel}
        cancel={t('form.otherRecipe')}
      />
    </form>
  );
}

const texts: Readonly<Record<StorageField, { label: TextId; help: TextId }>> = {
  endpoint: { label: 'storage.endpoint', help: 'storage.endpoint.help' },
  bucket: { label: 'storage.bucket', help: 'storage.bucket.help' },
  region: { label: 'storage.region', help: 'storage.region.help' },
  prefix: { label: 'storage.prefix', help: 'storage.prefix.help' },
  accessKeyId: { label: 'storage.accessKeyId', help: 'storage.accessKeyId.help' },
  secretAccessKey: { label: 'storage.secretAccessKey', help: 'storage.secretAccessKey.help' },
  sessionToken: { label: 'storage.sessionToken', help: 'storage.sessionToken.help' },
  name: { label: 'token.name', help: 'token.name.help' },
};
