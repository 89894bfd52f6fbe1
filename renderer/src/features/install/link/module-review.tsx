import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ModuleLink } from '#shared/sources/install-link';
import { useToolStatus } from '../../../api/runner.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { Card, PageTitle } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { type Inspection, inspectAddress, type Prefill } from '../inspection.ts';
import { ToolOffer } from '../tool-offer.tsx';
import { Code, HostWarning } from './host.tsx';
import { ReturnFact } from './return-fact.tsx';

type Props = { link: ModuleLink; onInspect: (inspection: Inspection) => void };

const prefillFrom = ({ path, name, returnTo }: ModuleLink): Prefill => ({
  isFromLink: true,
  ...(path !== undefined && { path }),
  ...(name !== undefined && { name }),
  ...(returnTo && { returnTo }),
});

/** Review of an install link. Nothing is fetched before the user confirms. */
export function ModuleReview({ link, onInspect }: Props) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const isWithoutTool = useToolStatus() === 'missing';
  const { git, ref = 'HEAD', sourcePath, returnTo } = link;
  const inspect = useMutation({
    mutationFn: () => inspectAddress(workspaceId, { url: git, ref, path: sourcePath }, prefillFrom(link)),
    onSuccess: onInspect,
  });
  const url = new URL(git);
  const hosts = [url.hostname, ...(returnTo?.uri.startsWith('https:') ? [new URL(returnTo.uri).hostname] : [])];
  return (
    <>
      <PageTitle title={t('link.title')} lead={<p className="max-w-prose">{t('link.lead')}</p>} />
      <div className="flex flex-col gap-4">
        <ToolOffer />
        <HostWarning hosts={hosts} />
        <Card>
          <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('link.asks')}</h2>
          <Facts items={useFacts(link, url)} />
          <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-3">
            <Button
              variant="primary"
              busy={inspect.isPending}
              disabled={isWithoutTool}
              onClick={() => inspect.mutate()}
            >
              {t('install.look')}
            </Button>
            <Link to="/" className={buttonClass()}>
              {t('link.notNow')}
            </Link>
            <p className="min-w-0 flex-1 basis-52 text-sm text-muted">{t('link.next')}</p>
          </div>
        </Card>
        {inspect.isError && <ErrorNote error={inspect.error} />}
      </div>
    </>
  );
}

function useFacts({ ref, sourcePath, path, name, returnTo }: ModuleLink, url: URL): Fact[] {
  const t = useText();
  const folder = (text: string) => (text === '.' ? t('lane.top') : <Code>{visibleText(text)}</Code>);
  const facts: (Fact | false | undefined)[] = [
    { term: t('link.host'), value: <Code>{url.host}</Code> },
    { term: t('install.repository'), value: <Code>{visibleText(url.pathname)}</Code> },
    { term: t('install.ref'), value: ref === undefined ? t('lane.defaultBranch') : <Code>{visibleText(ref)}</Code> },
    { term: t('install.path'), value: folder(sourcePath) },
    { term: t('install.module'), value: path === undefined ? t('link.moduleOpen') : folder(path) },
    name !== undefined && { term: t('link.name'), value: visibleText(name) },
    returnTo && { term: t('link.product'), value: <Code>{returnTo.product}</Code> },
    returnTo && { term: t('link.returnTo'), value: <ReturnFact target={returnTo} /> },
  ];
  return facts.filter((fact): fact is Fact => Boolean(fact));
}
