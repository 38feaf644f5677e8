/** What stands beside a message: templates that failed over it. */
import type { TemplateFailure } from '../../../render/renderer.ts';
import { Status } from '../parts/status.tsx';
import { Code, Foreign } from '../parts/text.tsx';
import { MESSAGE_WORDS } from '../words/message.ts';
import { useWords } from '../use-reader.ts';

interface FailuresProps {
  readonly failures: readonly TemplateFailure[];
}

export function TemplateFailures({ failures }: FailuresProps) {
  const words = useWords(MESSAGE_WORDS);
  if (failures.length === 0) return null;
  return (
    <div>
      <p>
        <Status tone="bad" word={words.templateFailed} />
      </p>
      <ul class="reasons">
        {failures.map(({ format, template, message }) => (
          <li key={`${format} ${message}`}>
            <Code text={`${format}/${template}`} /> <Foreign text={message} />
          </li>
        ))}
      </ul>
    </div>
  );
}
