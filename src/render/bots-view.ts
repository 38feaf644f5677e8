/** The BOTs of a summary or digest as templates see them, and what failed of them, as outputs. */
import { statusNameOf } from '../callback/callback.ts';
import type { OutputView } from '../channels/card.ts';
import type { DisplayConfig } from '../config/config.ts';
import type { OwnSubject } from '../notice/notice.ts';
import { formatTimeOfDay } from '../time/display.ts';
import type { Links } from './links.ts';

type Told = Pick<OwnSubject<'summary' | 'digest'>, 'bots' | 'moreBots' | 'errors' | 'missed'>;

/** @param now when it is told, in milliseconds since 1970 */
export function botsView(
  { bots, moreBots: more_bots, errors, missed }: Told,
  { timezone, language, now }: Pick<DisplayConfig, 'timezone' | 'language'> & { readonly now: number },
  links: Links,
) {
  const shown = bots.map(({ lastError, ...bot }) => {
    if (lastError === undefined)
      return { ...bot, last_error: '', last_error_at: '', last_job_id: '', url: '' };
    const { text, at, jobId } = lastError;
    const { bot_id, bot_name } = bot;
    const fields = { bot_id, bot_name, job_id: jobId, status: 1, status_name: statusNameOf({ status: 1 }) };
    return {
      ...bot,
      last_error: text,
      last_error_at: formatTimeOfDay(at, { timezone, language, now }),
      last_job_id: jobId,
      url: links.job(fields),
    };
  });
  const outputs = () => shown.filter(({ last_error_at: at }) => at !== '').map(outputOf);
  return { bots: shown, more_bots, errors, missed, outputs };
}

/** `Crawler: no login (06:10)`, which leads to the job. */
function outputOf(bot: {
  readonly bot_id: string;
  readonly bot_name: string;
  readonly last_error: string;
  readonly last_error_at: string;
  readonly url: string;
}): OutputView {
  const { bot_id, bot_name, last_error, last_error_at, url } = bot;
  const value = `${last_error || '–'} (${last_error_at})`;
  return { name: bot_name || bot_id, kind: 'scalar', value, items: [], files: [], fileCount: 0, url };
}
