import { PageTitle } from '../../ui/surface.tsx';

export function InstallProgressPage({ id }: { id: string }) {
  return <PageTitle title={id} />;
}
