import { PageTitle } from '../../ui/surface.tsx';

export function CapsulePage({ id }: { id: string }) {
  return <PageTitle title={id} />;
}
