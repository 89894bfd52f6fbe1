import { PageTitle } from '../../ui/surface.tsx';

export function SourcePage({ id }: { id: string }) {
  return <PageTitle title={id} />;
}
