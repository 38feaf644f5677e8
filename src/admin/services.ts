/** What the admin listener shows and does, all of which outlives a reload. */
import type { createOperations } from '../deliver/operations.ts';
import type { Archive } from '../ledger/registry.ts';
import type { StatusName } from '../callback/callback.ts';
import type { DisplayConfig, Problem } from '../config/config.ts';
import type { Drawing } from './drawing.ts';

/** What readiness depends on; each false one is named in the answer. */
export interface Readiness {
  /** Written within the last 15 seconds. */
  readonly store: boolean;
  readonly config: boolean;
  readonly accepting: boolean;
}

/** What people can do; the page, the API and the command line have the same. */
export type Operations = ReturnType<typeof createOperations>;

export interface ReloadStatus {
  /** The config's file, as it was named when Botbell was started. */
  readonly file: string;
  /** Of the config in force. */
  readonly configHash: string;
  /** When the config in force was loaded; milliseconds since the epoch. */
  readonly loadedAt: number;
  /** Of the config in force: what works and cannot be meant. */
  readonly warnings: readonly Problem[];
  /** Of the last try, if it failed. */
  readonly failure: { readonly at: number; readonly problems: readonly Problem[] } | undefined;
  /** What the last reload would have changed and could not, e.g. `receiver.listen`. */
  readonly unchanged: readonly string[];
}

export type ReloadResult =
  | {
      readonly isLoaded: true;
      /** False: nothing differs from what is in force, so nothing was done. */
      readonly hasChanged: boolean;
      readonly configHash: string;
      readonly warnings: readonly Problem[];
      readonly unchanged: readonly string[];
    }
  | { readonly isLoaded: false; readonly problems: readonly Problem[] };

/** For the callbacks of one BOT and status in the last days. */
export interface RoutingChange {
  readonly botId: string;
  readonly status: StatusName;
  /** How many came. */
  readonly callbacks: number;
  /** Destinations that would be told and were not, and those that no longer would be. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface ReloadPreview {
  /** Errors and warnings of what is on the disk now; with an error among them, a reload would be refused. */
  readonly problems: readonly Problem[];
  /** Of what is on the disk now; undefined where it would be refused. */
  readonly configHash: string | undefined;
  /** Callbacks that came from then on were looked at; ISO 8601. */
  readonly since: string;
  /** Those that most callbacks came for first; at most a thousand. */
  readonly changes: readonly RoutingChange[];
  /** False: there are more BOTs or changes than were looked at. */
  readonly isComplete: boolean;
  readonly unchanged: readonly string[];
}

export interface Reloading {
  readonly status: ReloadStatus;
  /** One after the other; of what has not changed since the one before, next to nothing is done. */
  reload(cause: string): Promise<ReloadResult>;
  /** Changes nothing. @throws {LedgerUnavailable} */
  preview(): Promise<ReloadPreview>;
}

/** Of the process that answers, and of the config that it has in force. */
export interface Surroundings {
  readonly version: string;
  /** Tells it from other processes on the same store, for people: `host/1234`. */
  readonly processName: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly display: () => Pick<DisplayConfig, 'language' | 'timezone'>;
  /** Takes the secrets of every config that ran out of a text. */
  readonly redact: (text: string) => string;
}

/** A destination, or a channel as a whole, that this process leaves alone after a rate limit. */
export interface Paused {
  /** `<channel>:<address>`, or `<channel>`. */
  readonly key: string;
  /** Milliseconds until it may be sent something again. */
  readonly ms: number;
}

/** A callback that comes with the program. */
export interface Sample {
  readonly name: string;
  /** JSON. */
  readonly text: string;
}

export interface AdminServices {
  readonly surroundings: Surroundings;
  readonly metrics: { readonly contentType: string; readonly text: () => Promise<string> };
  readonly readiness: () => Readiness;
  readonly archive: Archive;
  readonly operations: Operations;
  readonly reloading: Reloading;
  readonly onUnforeseen: (error: unknown) => void;
  /** By the config in force. */
  readonly drawing: () => Drawing;
  readonly paused: () => readonly Paused[];
  readonly samples: readonly Sample[];
}

export type ApiServices = Pick<AdminServices, 'archive' | 'operations' | 'reloading' | 'surroundings'>;
