import { PageTitle } from '../../ui/surface.tsx';

export function RunPage({ id }: { id: string }) {
  return <PageTitle title={id} />;
}
