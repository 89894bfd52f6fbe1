import { visibleText } from './visible-text.ts';

/** Paths of the host, one per line, verbatim. */
export const PathList = ({ paths }: { paths: readonly string[] }) => (
  <ul className="flex flex-col gap-0.5">
    {paths.map((path) => (
      <li key={path}>
        <code className="font-mono text-xs break-all">{visibleText(path)}</code>
      </li>
    ))}
  </ul>
);
