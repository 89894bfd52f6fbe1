import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { providerConnectionsQuery } from '../../api/bindings.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { connectionName } from '../repository-access.tsx';

/** A Connection by name, linked to its page. Connections of the operator have no page. */
export function ConnectionLink({ id }: { id: string }) {
  const connections = useQuery(providerConnectionsQuery(useWorkspaceId())).data;
  const connection = connections?.find((one) => one.id === id);
  if (connection?.scope === 'operator') return <span className="break-words">{connectionName(connection)}</span>;
  return (
    <Link to="/connections/$id" params={{ id }} className="font-medium break-words text-accent hover:underline">
      {connection ? (
        connectionName(connection)
      ) : (
        <code className="font-mono text-[0.93em]">{visibleText(id.slice(0, 14))}</code>
      )}
    </Link>
  );
}
