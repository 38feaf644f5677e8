/** What is wrong with a config or a template, each with its place. */
import type { Problem } from '../../../config/config.ts';
import { Status } from '../parts/status.tsx';
import { Code, Foreign } from '../parts/text.tsx';
import { useReader } from '../reader.ts';

/** As `check` prints them. */
export function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  const { t } = useReader();
  return (
    <ul class="problems">
      {problems.map(({ place: { file, line, column }, message, severity }) => (
        <li key={`${file} ${line} ${column} ${message}`}>
          <Status tone={severity === 'error' ? 'bad' : 'wait'} word={t(`config.${severity}`)} />{' '}
          <Code text={`${file}:${line}:${column}`} /> <Foreign text={message} />
        </li>
      ))}
    </ul>
  );
}
