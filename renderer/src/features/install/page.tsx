import { useLocation, useNavigate } from '@tanstack/react-router';
import { readInstallLink } from '#shared/sources/install-link';
import { parseSearch } from '../../api/address-search.ts';
import { useMay } from '../../api/role.ts';
import { useText } from '../../i18n/text.ts';
import { Card, EmptyState, PageTitle } from '../../ui/surface.tsx';
import { Flow } from './flow.tsx';
import { type Inspection, saveInspection } from './inspection.ts';
import { ModuleReview } from './link/module-review.tsx';
import { OptionsReview } from './link/options-review.tsx';
import { RefusedLink } from './link/refused-link.tsx';

/** A new installation: from an address that the user enters, or from an install link, which is reviewed first. */
export function InstallPage() {
  const search = useLocation({ select: ({ searchStr }) => searchStr });
  const navigate = useNavigate();
  const may = useMay();
  if (!may('createInstallPlan')) return <NotAllowed />;
  const { url, ...others } = parseSearch(search);
  if (typeof url === 'string' && Object.keys(others).length === 0) return <Own packed={url} />;
  const read = readInstallLink(search);
  if (read.kind === 'empty') return <Own packed={undefined} />;
  if (read.kind === 'refused') return <RefusedLink refusal={read.refusal} />;
  const { link } = read;
  if (link.kind === 'options') return <OptionsReview key={search} link={link} />;
  const goOn = (inspection: Inspection) => {
    saveInspection(inspection);
    void navigate({ to: '/new', search: { url: inspection.packed } });
  };
  return <ModuleReview key={search} link={link} onInspect={goOn} />;
}

/** Shown to a viewer, who can only read. */
function NotAllowed() {
  const t = useText();
  return (
    <>
      <PageTitle title={t('install.title')} />
      <Card>
        <EmptyState title={t('install.viewer.title')} text={t('install.viewer.text')} />
      </Card>
    </>
  );
}

function Own({ packed }: { packed: string | undefined }) {
  const t = useText();
  return (
    <>
      <PageTitle title={t('install.title')} lead={t('install.lead')} />
      <Flow key={packed ?? ''} packed={packed} />
    </>
  );
}
