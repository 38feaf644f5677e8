/** What the resources of the API are made of. */
import { dayIn } from '../../ledger/keys.ts';
import type { StoryContext } from '../../story/story.ts';
import type { FilterContext } from '../filters.ts';
import type { AdminServices } from '../services.ts';

export type ApiServices = Pick<AdminServices, 'archive' | 'operations' | 'reloading' | 'surroundings'>;

export interface ApiParts {
  readonly services: ApiServices;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The day of an instant, `2026-01-31`, in the display's time zone. */
  readonly dayOf: (ms: number) => string;
  /** Of this moment; what is wrong with a query is said in English, as are all problems over HTTP. */
  readonly filterContext: () => FilterContext;
  /** Without any secret of any config that ran. */
  readonly redact: (text: string) => string;
  /** In the display's language. */
  readonly storyContext: () => StoryContext;
}

export function partsOf(services: ApiServices): ApiParts {
  const { display, now, redact, giveUpAfterMs } = services.surroundings;
  return {
    services,
    now,
    redact,
    dayOf: dayIn(() => display().timezone),
    filterContext: () => ({ timezone: display().timezone, now: now(), language: 'en' }),
    storyContext: () => ({ ...display(), now: now(), giveUpAfterMs: giveUpAfterMs(), redact }),
  };
}
