import type { Connection } from '#shared/connections/contract';
import type { TextId } from '../../i18n/text.ts';
import { ConnectionForm } from './connection-form.tsx';
import { PlainField, SecretField } from './fields.tsx';
import {
  emptyStorageDraft,
  findStorageProblems,
  refusedStorageField,
  type StorageField,
  storageBody,
} from './storage-draft.ts';

type Props = { onCreated: (connection: Connection) => void; onCancel: () => void };

/** Form for a bucket of object storage and its keys. */
export const StorageForm = (props: Props) => (
  <ConnectionForm
    emptyDraft={emptyStorageDraft}
    findProblems={findStorageProblems}
    findRefused={refusedStorageField}
    bodyOf={storageBody}
    texts={texts}
    save="storage.save"
    {...props}
  >
    {(field) => (
      <>
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
      </>
    )}
  </ConnectionForm>
);

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
