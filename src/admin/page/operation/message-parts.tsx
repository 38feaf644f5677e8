/** What stands beside a message: the limits that it takes, what its remote would refuse, templates that failed over it. */
import type { LimitUse, OldMessageFormat as MessageFormat } from '../../../channels/channel.ts';
import type { TemplateFailure } from '../../../render/renderer.ts';
import { Status } from '../parts/status.tsx';
import { Code, Foreign } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import { MESSAGE_WORDS } from '../words/message.ts';

interface LimitsProps {
  readonly limits: readonly LimitUse[] | undefined;
  readonly reader: Reader;
}

/** Of a limit: from here on somebody should know. */
const NEARLY = 0.9;

export function Limits({ limits, reader }: LimitsProps) {
  const words = MESSAGE_WORDS[reader.language];
  if (limits === undefined || limits.length === 0) return null;
  const number = (value: number) => reader.formats.number(value);
  return (
    <ul class="chips" aria-label={words.limits}>
      {limits.map(({ name, used, most, unit }) => (
        <li key={name.en} class={`chip ${used >= most * NEARLY ? 'wait' : 'idle'}`}>
          <span class="quiet">{name[reader.language]}</span>
          <span>
            {words.used(number(used), number(most))} {words.unit[unit]}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface FindingsProps {
  readonly findings: ReturnType<MessageFormat['inspect']>;
  readonly reader: Reader;
}

export function Findings({ findings, reader }: FindingsProps) {
  const words = MESSAGE_WORDS[reader.language];
  if (findings.length === 0) return null;
  return (
    <div>
      <p>
        <Status tone="bad" word={words.findings} />
      </p>
      <ul class="reasons">
        {findings.map(({ path, message }) => (
          <li key={`${path.join('.')} ${message}`}>
            <Code text={path.join('.')} /> <Foreign text={message} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface FailuresProps {
  readonly failures: readonly TemplateFailure[];
  readonly reader: Reader;
}

export function TemplateFailures({ failures, reader }: FailuresProps) {
  const words = MESSAGE_WORDS[reader.language];
  if (failures.length === 0) return null;
  return (
    <div>
      <p>
        <Status tone="bad" word={words.templateFailed} />
      </p>
      <ul class="reasons">
        {failures.map(({ set, format, template, message }) => (
          <li key={`${set} ${format} ${message}`}>
            <Code text={`${set}/${format}/${template}`} /> <Foreign text={message} />
          </li>
        ))}
      </ul>
    </div>
  );
}
