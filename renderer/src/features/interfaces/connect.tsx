import type { Interface } from '#shared/interfaces/contract';
import { wellKnownKindOf } from '#shared/interfaces/well-known';
import { addressOf } from '../../components/interfaces/interface-text.ts';
import { useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { JsonValue } from '../../ui/json-value.tsx';
import { Card } from '../../ui/surface.tsx';
import { Address } from './address.tsx';

/** Facts that a client needs to connect: the address, and for an MCP server the entry of its configuration. */
export function Connect({ shown }: { shown: Interface }) {
  const t = useText();
  const { name, spec, status } = shown;
  const address = addressOf(shown);
  const kind = wellKnownKindOf(spec.type);
  const facts: (Fact | false)[] = [
    address !== undefined && {
      term: t('interfaces.address'),
      value: <Address address={address} name={t('interfaces.address')} />,
    },
    kind === 'mcp' &&
      address !== undefined && {
        term: t('interfaces.clientEntry'),
        value: <JsonValue value={mcpEntryOf(name, address)} name={t('interfaces.clientEntry')} />,
      },
    status.resourceUri !== undefined &&
      status.resourceUri !== address && { term: t('interfaces.resource'), value: addressText(status.resourceUri) },
    kind !== 'launcher' &&
      !isEmpty(spec.document) && {
        term: t('interfaces.document'),
        value: <JsonValue value={spec.document} name={t('interfaces.document')} />,
      },
  ];
  const items = facts.filter((fact) => fact !== false);
  if (items.length === 0) return null;
  return (
    <Card>
      <h2 className="px-4 pt-3 font-semibold">{t('interfaces.connect')}</h2>
      <Facts items={items} />
    </Card>
  );
}

const isEmpty = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && Object.keys(document).length === 0;

/** Entry of a client's configuration, in the form that most MCP clients read. */
const mcpEntryOf = (name: string, url: string) => ({ mcpServers: { [name]: { type: 'http', url } } });
