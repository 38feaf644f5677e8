/** What is wrong with a config or a template, each with its place. */
import type { Problem } from '../../../config/config.ts';
import { Status } from '../parts/status.tsx';
import { Code, Foreign } from '../parts/text.tsx';
import { CONFIG_WORDS } from '../words/config.ts';
import { useWords } from '../use-reader.ts';

interface ProblemsProps {
  readonly problems: readonly Problem[];
}

/** As `check` prints them. */
export function Problems({ problems }: ProblemsProps) {
  const words = useWords(CONFIG_WORDS);
  return (
    <ul class="problems">
      {problems.map(({ place: { file, line, column }, message, severity }) => (
        <li key={`${file} ${line} ${column} ${message}`}>
          <Status tone={severity === 'error' ? 'bad' : 'wait'} word={words[severity]} />{' '}
          <Code text={words.place(file, line, column)} /> <Foreign text={message} />
        </li>
      ))}
    </ul>
  );
}
