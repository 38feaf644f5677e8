/** What the admin listener needs of the rest of the program; reloads do not replace it. */
import type { People } from '../people/actions.ts';
import type { Archive } from '../ledger/registry.ts';
import type { StatusName } from '../callback/callback.ts';
import type { DisplayConfig, Problem } from '../config/config.ts';
import type { Drawing } from './drawing.ts';

/** The parts of readiness; the response shows each. */
export interface Readiness {
  /** The ledger was written to within the last 15 seconds. */
  readonly store: boolean;
  readonly config: boolean;
  readonly accepting: boolean;
}

export interface ReloadStatus {
  /** The config's file, as named at the start. */
  readonly file: string;
  /** The hash of the config in force. */
  readonly configHash: string;
  /** When the config in force was loaded; milliseconds since the epoch. */
  readonly loadedAt: number;
  /** Warnings about the config in force. */
  readonly warnings: readonly Problem[];
  /** When and why the last reload failed; undefined if it did not. */
  readonly failure: { readonly at: number; readonly problems: readonly Problem[] } | undefined;
  /** Changed settings that need a restart and so did not take effect, e.g. `receiver.listen`. */
  readonly unchanged: readonly string[];
}

export type ReloadResult =
  | (Pick<ReloadStatus, 'configHash' | 'warnings' | 'unchanged'> & {
      readonly isLoaded: true;
      /** False if nothing differs from the config in force; then nothing was done. */
      readonly hasChanged: boolean;
    })
  | { readonly isLoaded: false; readonly problems: readonly Problem[] };

/** How the new config would route the last days' callbacks of one BOT and status. */
export interface RoutingChange {
  readonly botId: string;
  readonly status: StatusName;
  /** How many callbacks came. */
  readonly callbacks: number;
  /** Destinations that the new config would add, and those that it would drop. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface ReloadPreview {
  /** Errors and warnings of the files on disk; with an error, a reload would be refused. */
  readonly problems: readonly Problem[];
  /** The hash of the config on disk; undefined if a reload would be refused. */
  readonly configHash: string | undefined;
  /** Start of the period whose callbacks were compared; ISO 8601. */
  readonly since: string;
  /** Ordered by the number of callbacks, most first; at most a thousand. */
  readonly changes: readonly RoutingChange[];
  /** False if there are more BOTs or changes than were considered. */
  readonly isComplete: boolean;
  readonly unchanged: readonly string[];
}

export interface Reloading {
  readonly status: ReloadStatus;
  /** Reloads run one at a time; one without changes costs next to nothing. */
  reload(cause: string): Promise<ReloadResult>;
  /** Reports what a reload would change. @throws {LedgerUnavailable} */
  preview(): Promise<ReloadPreview>;
}

/** The responding process, and settings of its config in force. */
export interface Surroundings {
  readonly version: string;
  /** Identifies the process among those on the same store: `host/1234`. */
  readonly processName: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly display: () => Pick<DisplayConfig, 'language' | 'timezone'>;
  /** Hides the secrets of every config that was in force. */
  readonly redact: (text: string) => string;
}

export interface AdminServices {
  readonly surroundings: Surroundings;
  readonly metrics: { readonly contentType: string; readonly text: () => Promise<string> };
  readonly readiness: () => Readiness;
  /** Why the store cannot be written; undefined while it can be. */
  readonly storeTrouble: () => string | undefined;
  readonly archive: Archive;
  readonly people: People;
  readonly reloading: Reloading;
  readonly onUnforeseen: (error: unknown) => void;
  /** Draws by the config in force. */
  readonly drawing: () => Drawing;
  /** Sample callbacks that come with the program, as JSON. */
  readonly samples: readonly { readonly name: string; readonly text: string }[];
}
