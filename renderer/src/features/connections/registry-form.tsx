import type { Connection } from '#shared/connections/contract';
import type { TextId } from '../../i18n/text.ts';
import { ConnectionForm } from './connection-form.tsx';
import { PlainField, SecretField } from './fields.tsx';
import {
  emptyRegistryDraft,
  findRegistryProblems,
  type RegistryField,
  refusedRegistryField,
  registryBody,
} from './registry-draft.ts';

type Props = { onCreated: (connection: Connection) => void; onCancel: () => void };

/** Form for a module registry and its token. */
export const RegistryForm = (props: Props) => (
  <ConnectionForm
    emptyDraft={emptyRegistryDraft}
    findProblems={findRegistryProblems}
    findRefused={refusedRegistryField}
    bodyOf={registryBody}
    texts={texts}
    save="registry.save"
    {...props}
  >
    {(field) => (
      <div className="grid gap-4 sm:grid-cols-2">
        <PlainField {...field('host')} />
        <SecretField {...field('token')} />
        <PlainField {...field('module')} />
        <PlainField {...field('name')} />
      </div>
    )}
  </ConnectionForm>
);

const texts: Readonly<Record<RegistryField, { label: TextId; help: TextId }>> = {
  host: { label: 'registry.host', help: 'registry.host.help' },
  token: { label: 'registry.token', help: 'registry.token.help' },
  module: { label: 'registry.module', help: 'registry.module.help' },
  name: { label: 'token.name', help: 'token.name.help' },
};
