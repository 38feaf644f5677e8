/** What the resources of the API are made of. */
import type { DisplayConfig } from '../../config/config.ts';
import type { CallbackStory } from '../../ledger/archive/archive.ts';
import type { Story } from '../../story/story.ts';
import type { AdminServices } from '../services.ts';

export interface ApiParts {
  readonly services: Pick<AdminServices, 'archive' | 'operations' | 'reloading'>;
  readonly display: Pick<DisplayConfig, 'timezone'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The day of an instant, `2026-01-31`, in the display's time zone. */
  readonly dayOf: (ms: number) => string;
  /** One line of an error's text, without any secret of any config that ran. */
  readonly redact: (text: string) => string;
  /** In the display's language. */
  readonly tell: (story: CallbackStory, alerts: readonly CallbackStory[]) => Story;
}
