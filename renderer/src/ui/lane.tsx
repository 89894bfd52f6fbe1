import { useText } from '../i18n/text.ts';
import { visibleText } from './visible-text.ts';

const codeClass = 'font-mono text-[0.93em] break-all';

/** A ref of Git; `HEAD` as the default branch that it stands for. */
export function RefName({ name }: { name: string }) {
  const t = useText();
  return name === 'HEAD' ? (
    <span title={name}>{t('lane.defaultBranch')}</span>
  ) : (
    <code className={codeClass}>{visibleText(name)}</code>
  );
}

/** A folder of a repository; `.` as its top. */
export function FolderName({ path }: { path: string }) {
  const t = useText();
  return path === '.' ? (
    <span title={path}>{t('lane.top')}</span>
  ) : (
    <code className={codeClass}>{visibleText(path)}</code>
  );
}

/** A ref, and a folder of it where that is not the whole. */
export const Lane = ({ of: { ref, path } }: { of: { ref: string; path: string } }) => (
  <>
    <RefName name={ref} />
    {path !== '.' && (
      <>
        {' · '}
        <FolderName path={path} />
      </>
    )}
  </>
);
